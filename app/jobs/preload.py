"""Imported once by the process from which trainings are forked.

A tiny training and a tiny search make it load (or compile, the first time ever) the numerical code, so
that every training starts with all of it in memory.
"""

from __future__ import annotations

import gc
import logging
import warnings

# Nothing that is loaded here is ever garbage. Looking for some takes a seventh of the time.
gc.disable()

import numpy as np  # noqa: E402

import app.jobs.child  # noqa: E402, F401  (what the forked processes run)


def warm_up() -> None:
    """Fit a few rows with each kind of kernel."""
    from app.pipeline.data import TrainingData
    from app.pipeline.train import train
    from app.schemas.table import Table
    from app.schemas.training import TrainingOptions
    from frtsvm_core.model_selection import FRTSVMSearchCV

    rows = np.random.default_rng(0).normal(size=(24, 2))
    data = TrainingData.build(Table(rows), [bool(row[0] > 0) for row in rows], None)
    for kernel in ("linear", "rbf"):
        options = TrainingOptions.model_validate({"params": {"kernel": kernel}})
        train(data, options, lambda _: None)
    # One job: threads would not survive the forks.
    search = FRTSVMSearchCV(search={"c3": [0.5, 1.0]}, cv=2, probability="sigmoid", n_jobs=1)
    search.fit(rows, data.codes)


try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warm_up()
except Exception:  # a training that fails the same way says why; this process must live
    logging.getLogger("frtsvm.preload").exception("warm-up failed")
finally:
    gc.collect()
    gc.freeze()  # forks share these pages as long as the collector does not write into them
    gc.enable()
