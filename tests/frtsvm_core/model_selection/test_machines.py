"""A search whose folds run on other machines finds what it finds on this one."""

from __future__ import annotations

from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.datasets import make_moons

from frtsvm_core.model_selection import FRTSVMSearchCV, SearchProgress, StopSearch


def executed(client: Any) -> int:
    """Tasks that the workers have run."""
    return sum(client.run(lambda dask_worker: dask_worker.state.executed_count).values())


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_folds_on_a_cluster_give_the_same_table(dask_client: Any) -> None:
    x, y = make_moons(200, noise=0.3, random_state=0)
    grid = {"gamma": [0.5, 2.0], "c1": [0.1, 1.0], "c3": [0.5, 2.0, 8.0]}
    here = FRTSVMSearchCV(search=grid, cv=3, random_state=0, refit=False).fit(x, y)
    with joblib.parallel_config("dask", client=dask_client):
        before = executed(dask_client)
        there = FRTSVMSearchCV(search=grid, cv=3, random_state=0, refit=False).fit(x, y)
        ran = executed(dask_client) - before

        def stop(event: SearchProgress) -> None:
            if event.tried:
                raise StopSearch

        early = FRTSVMSearchCV(search=grid, cv=3, random_state=0, refit=False)
        early.fit(x, y, callback=stop)
    assert np.array_equal(here.cv_results_["mean_test_score"], there.cv_results_["mean_test_score"])
    assert here.best_params_ == there.best_params_
    assert ran >= 6  # two kernels on three folds
    assert 0 < len(early.cv_results_["params"]) < 12
