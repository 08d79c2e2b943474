"""Imported once by the fork server, from which training processes are forked.

A tiny training and a tiny search load the numerical code (and compile it, if no compiled code is
cached). So every training process starts with all of it in memory.
"""

from __future__ import annotations

import gc
import logging
import warnings

# No object that is loaded here becomes garbage; collection would take a seventh of the loading
# time.
gc.disable()

import numpy as np  # noqa: E402

import app.jobs.child  # noqa: E402, F401  (the code of the forked processes)


def warm_up() -> None:
    """Run a tiny training with each kind of kernel, and a tiny search."""
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
    # n_jobs=1: threads do not survive a fork.
    search = FRTSVMSearchCV(search={"c3": [0.5, 1.0]}, cv=2, probability="sigmoid", n_jobs=1)
    search.fit(rows, data.codes)


try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warm_up()
except Exception:  # trainings report the same error; the fork server must not end
    logging.getLogger("frtsvm.preload").exception("warm-up failed")
finally:
    gc.collect()
    gc.freeze()  # frozen objects stay in memory pages shared with the forks
    gc.enable()
