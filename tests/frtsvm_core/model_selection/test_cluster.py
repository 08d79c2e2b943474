"""A search on a cluster gives the same results as a local one, also when workers are lost."""

from __future__ import annotations

import os
import pickle
import signal
import time
from concurrent.futures import CancelledError
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.datasets import make_moons

from frtsvm_core.model_selection import (
    FRTSVMSearchCV,
    SearchProgress,
    StopSearch,
    cluster,
    evaluation,
    fold_tasks,
)


def executed(client: Any) -> int:
    """Number of tasks that the workers have run."""
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


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_workers_hold_no_data_after_the_search(dask_client: Any) -> None:
    x, y = make_moons(60, noise=0.3, random_state=0)
    with joblib.parallel_config("dask", client=dask_client):
        FRTSVMSearchCV(search={"c3": [0.5, 2.0]}, cv=3, refit=False).fit(x, y)
    deadline = time.monotonic() + 10.0
    while sum(dask_client.run(lambda dask_worker: len(dask_worker.data)).values()):
        assert time.monotonic() < deadline
        time.sleep(0.05)


class Clusterlike:
    """Fake Dask client: its workers lose the first `losses` parts.

    The scheduler becomes unreachable after `reachable` queries of its status.
    """

    def __init__(self, losses: int, reachable: int = 1000) -> None:
        self.losses, self._queries_left = losses, reachable
        self.scattered = self.submitted = 0

    @property
    def status(self) -> str:
        self._queries_left -= 1
        return "running" if self._queries_left >= 0 else "closed"

    def ncores(self) -> dict[str, int]:
        return {"tcp://127.0.0.1:1": 2}

    def scatter(self, task: Any, **options: Any) -> Any:
        assert options == {
            "direct": True,
            "hash": False,
        }  # not through the scheduler
        self.scattered += 1
        self.rows = Outcome(pickle.loads(pickle.dumps(task)))
        return self.rows

    def submit(self, function: Any, rows: Any, part: Any, **options: Any) -> Any:
        assert options["allow_other_workers"]
        self.submitted += 1
        assert len(pickle.dumps(part)) < 4000, "a part contains parameters only, no rows"
        if self.losses:
            self.losses -= 1
            rows.status = "lost"  # it was the only worker with the rows
            return Outcome(CancelledError())
        return Outcome(function(rows.value, part))

    def cancel(self, futures: list[Any]) -> None:
        assert futures


class Outcome:
    """Fake future."""

    def __init__(self, value: Any) -> None:
        self.value, self.status = value, "finished"

    def result(self) -> Any:
        if isinstance(self.value, BaseException):
            raise self.value
        return self.value


@pytest.mark.parametrize(
    ("losses", "reachable", "scattered"),
    [
        (0, 1000, 1),
        (3, 1000, 4),  # each lost part is submitted again, with the rows if they are lost too
        (1000, 1000, 36),  # every part is lost: computed locally
        (0, 6, 1),  # the scheduler becomes unreachable during the search
        (0, 0, 0),
    ],
)
def test_lost_parts_are_submitted_again_and_finally_computed_locally(
    losses: int, reachable: int, scattered: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fold_tasks, "MAX_CANDIDATES_PER_PART", 2)
    x, y = make_moons(2000, noise=0.3, random_state=0)
    x, y = x[:120], y[:120]
    grid = {"gamma": [0.5, 2.0], "c1": [0.1, 1.0, 4.0], "c3": [0.5, 2.0]}
    here = FRTSVMSearchCV(search=grid, cv=3, random_state=0, refit=False).fit(x, y)
    client = Clusterlike(losses, reachable)
    monkeypatch.setattr(
        evaluation, "workers_of", lambda task, n_jobs: cluster.DaskWorkers(client, {}, task)
    )
    there = FRTSVMSearchCV(search=grid, cv=3, random_state=0, refit=False).fit(x, y)
    assert np.array_equal(here.cv_results_["mean_test_score"], there.cv_results_["mean_test_score"])
    assert client.scattered == scattered


def test_an_error_of_the_search_itself_is_not_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = make_moons(60, noise=0.3, random_state=0)
    client = Clusterlike(0)
    monkeypatch.setattr(
        evaluation, "workers_of", lambda task, n_jobs: cluster.DaskWorkers(client, {}, task)
    )

    def wrong(*_: Any) -> Any:
        raise ValueError("a defect of the search")

    monkeypatch.setattr(fold_tasks.FoldProblem, "__init__", wrong)
    search = FRTSVMSearchCV(search={"c3": [0.5]}, cv=3, refit=False, error_score="raise")
    with pytest.raises(ValueError, match="a defect of the search"):
        search.fit(x, y)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore:.*[Cc]luster.*")
def test_the_search_survives_the_loss_of_the_worker_that_has_the_rows() -> None:
    distributed = pytest.importorskip("distributed")
    x, y = make_moons(300, noise=0.3, random_state=0)
    grid = {"gamma": [0.1, 0.5, 2.0, 8.0, 32.0], "c1": [0.1, 1.0], "c3": [0.5, 2.0, 8.0]}
    here = FRTSVMSearchCV(search=grid, cv=5, random_state=0, refit=False).fit(x, y)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        joblib.parallel_config("dask", client=client),
    ):
        killed: list[int] = []

        def kill_a_holder(event: SearchProgress) -> None:
            if event.tried and not killed:
                held = client.run(lambda dask_worker: (os.getpid(), len(dask_worker.data)))
                holders = [pid for pid, n_held in held.values() if n_held]
                killed.append(holders[0])
                os.kill(holders[0], signal.SIGKILL)

        there = FRTSVMSearchCV(search=grid, cv=5, random_state=0, refit=False)
        there.fit(x, y, callback=kill_a_holder)
    assert killed
    assert np.array_equal(here.cv_results_["mean_test_score"], there.cv_results_["mean_test_score"])
