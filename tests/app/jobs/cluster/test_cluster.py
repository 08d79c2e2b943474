"""Trainings on a real Dask cluster: the same guarantees as with embedded trainings."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.schemas.jobs import JobState
from tests.app.cluster import Cluster
from tests.app.data import long_search, slow_training, training
from tests.app.jobs.test_engine import is_job, nothing_left, running, submit, until
from tests.app.postgres import Postgres
from tests.app.server import children_of, is_running

distributed = pytest.importorskip("distributed")


class Place:
    """Folder and settings shared by all processes of one test."""

    def __init__(self, folder: Path, database_url: str) -> None:
        (folder / "secret").write_text("c1" * 32)
        self.folder = folder
        self.common = {
            "database_url": database_url,
            "artifacts": str(folder / "artifacts"),
            "secret_file": folder / "secret",
            "lease_timeout": 3.0,
        }

    @contextmanager
    def cluster(self, **variables: Any) -> Iterator[Cluster]:
        with Cluster(self.folder, shutdown_grace=1, **self.common, **variables) as cluster:
            yield cluster

    @contextmanager
    def server(self, cluster: Cluster, **settings: Any) -> Iterator[Any]:
        url = self.common["database_url"]
        common = {k: v for k, v in self.common.items() if k != "database_url"}
        with running(
            self.folder / "server",
            str(url),
            dask_scheduler=cluster.address,
            **common,
            **settings,
        ) as container:
            yield container


@pytest.fixture
def place(tmp_path: Path, postgres: Postgres) -> Place:
    return Place(tmp_path, postgres.new_database())


def wait_until(condition: Callable[[], object], limit: float = 60.0) -> None:
    deadline = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def phase(container: Any, job: str) -> str:
    found: str = container.store.jobs.get(job).progress["phase"]
    return found


def test_trainings_run_and_are_cancelled_on_workers(place: Place) -> None:
    with place.cluster() as cluster, place.server(cluster) as container:
        early = submit(container, training("m"))  # queued before there is any worker
        time.sleep(0.5)
        assert container.store.jobs.get(early.id).state is JobState.QUEUED
        worker = cluster.add_worker()
        assert until(container, early.id, JobState.SUCCEEDED).version == 1
        assert container.store.jobs.get(early.id).owner != container.store.presence.id
        # The server can use the model that a worker has trained.
        version = container.models.version("m", 1)
        assert version.certificate.converged
        # Progress and the cancel request are exchanged through the row.
        slow = submit(container, slow_training())
        wait_until(lambda: "validating" in phase(container, slow.id))
        trainings = [pid for pid in children_of(worker.pid) if is_job(pid)]
        assert len(trainings) == 1
        asked = time.monotonic()
        container.jobs.request_cancel(slow.id)
        until(container, slow.id, JobState.CANCELLED)
        assert time.monotonic() - asked < 20.0  # a very busy machine included
        wait_until(lambda: not is_running(trainings[0]), 5.0)
        wait_until(lambda: nothing_left(container), 5.0)


@pytest.mark.slow
def test_the_job_of_a_killed_worker_is_retried_once_and_then_fails(place: Place) -> None:
    with place.cluster() as cluster, place.server(cluster) as container:
        first = cluster.add_worker()
        job = submit(container, slow_training())
        wait_until(lambda: "validating" in phase(container, job.id))
        orphans = children_of(first.pid)
        second = cluster.add_worker()
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        wait_until(lambda: not any(map(is_running, orphans)), 5.0)
        # Retried by the other worker, with a new fencing token.
        wait_until(lambda: container.store.jobs.get(job.id).fence == 3)
        record = until(container, job.id, JobState.RUNNING)
        assert record.attempt == 2
        wait_until(lambda: "validating" in phase(container, job.id))
        third = cluster.add_worker()
        os.kill(second.pid, signal.SIGKILL)
        second.wait()
        record = until(container, job.id, JobState.FAILED)
        assert record.error is not None
        assert record.error["code"] == "worker_lost"
        assert "2 workers" in record.error["detail"]
        # The cluster continues with the remaining worker.
        until(container, submit(container, training("next")).id, JobState.SUCCEEDED)
        assert third.poll() is None


@pytest.mark.slow
def test_a_worker_that_stops_requeues_its_job(place: Place) -> None:
    with place.cluster() as cluster, place.server(cluster) as container:
        first = cluster.add_worker()
        job = submit(container, slow_training())
        wait_until(lambda: "validating" in phase(container, job.id))
        first.terminate()
        assert first.wait(timeout=30) == 0
        record = container.store.jobs.get(job.id)  # without waiting for the lease
        assert (record.state, record.fence) == (JobState.QUEUED, 2)
        cluster.add_worker()
        assert until(container, job.id, JobState.RUNNING).attempt == 2
        container.jobs.request_cancel(job.id)
        until(container, job.id, JobState.CANCELLED)


@pytest.mark.slow
def test_time_and_memory_limits_apply_on_workers(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.services.training.estimate_bytes", lambda data, options: 1)
    limits = {"training_memory": 64 * 1024**2, "training_timeout": 3}
    with place.cluster(**limits) as cluster, place.server(cluster) as container:
        cluster.add_worker()
        body = training("big")
        body["X"] = np.random.default_rng(0).normal(size=(6000, 2)).tolist()
        body["y"] = [i % 2 for i in range(6000)]
        body["params"] = {"rank": None}
        record = until(container, submit(container, body).id, JobState.FAILED)
        assert record.error is not None
        assert record.error["code"] == "out_of_memory"
        record = until(container, submit(container, slow_training()).id, JobState.FAILED)
        assert record.error is not None
        assert record.error["code"] == "timed_out"
        assert until(container, submit(container, training("small")).id, JobState.SUCCEEDED)


@pytest.mark.slow
def test_a_scheduler_restart_loses_no_job(place: Place) -> None:
    with place.cluster() as cluster, place.server(cluster) as container:
        cluster.add_worker()
        until(container, submit(container, training("m")).id, JobState.SUCCEEDED)
        cluster.stop_scheduler()
        job = submit(container, training("m"))
        time.sleep(1.0)
        assert container.store.jobs.get(job.id).state is JobState.QUEUED
        cluster.start_scheduler()
        assert until(container, job.id, JobState.SUCCEEDED).version == 2


def test_a_cluster_on_one_machine_works_with_sqlite(tmp_path: Path) -> None:
    home = tmp_path / "server"
    url = f"sqlite:///{home}/frtsvm.sqlite3"
    with (
        Cluster(tmp_path, shutdown_grace=1) as cluster,
        running(home, url, dask_scheduler=cluster.address) as container,
    ):
        worker = cluster.add_worker(home)
        job = submit(container, slow_training())
        wait_until(lambda: "validating" in phase(container, job.id))
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
        # The lock file shows that the worker is dead, so the lease does not have to expire.
        wait_until(lambda: container.store.jobs.get(job.id).state is JobState.QUEUED, 10.0)
        container.jobs.request_cancel(job.id)
        assert container.store.jobs.get(job.id).state is JobState.CANCELLED


@pytest.mark.slow
def test_folds_of_a_search_run_on_all_workers_and_keep_best_works(place: Place) -> None:
    with place.cluster() as cluster, place.server(cluster) as container:
        for _ in range(2):
            cluster.add_worker(folds=1)
        body = long_search(budget=300.0)
        body["params"] = {}
        job = submit(container, body)
        wait_until(lambda: search_state(container, job.id).get("tried"), 120.0)
        with distributed.Client(cluster.address, set_as_default=False) as client:

            def fewest_tasks() -> int:
                done = client.run(lambda dask_worker: dask_worker.state.executed_count)
                return min(done.values())

            wait_until(fewest_tasks, 60.0)  # tasks of folds, because the job has not ended
        container.jobs.request_cancel(job.id, keep_best=True)
        assert until(container, job.id, JobState.SUCCEEDED).version == 1
        found = container.models.version("long", 1).search
        assert found is not None
        assert found.stopped_early == "requested"


@pytest.mark.slow
@pytest.mark.parametrize("lost", ["worker", "scheduler"])
def test_a_search_survives_the_loss_of_another_worker_or_the_scheduler(
    place: Place, lost: str
) -> None:
    with place.cluster() as cluster, place.server(cluster) as container:
        workers = [cluster.add_worker(folds=1) for _ in range(2)]
        body = long_search(budget=300.0)
        body["params"] = {}
        job = submit(container, body)

        def tried() -> int:
            return int(search_state(container, job.id).get("tried") or 0)

        wait_until(tried, 120.0)
        if lost == "worker":
            helper = next(w for w in workers if not any(map(is_job, children_of(w.pid))))
            os.kill(helper.pid, signal.SIGKILL)
            helper.wait()
        else:
            cluster.stop_scheduler()
        before = tried()
        wait_until(lambda: tried() > before + 200, 120.0)
        container.jobs.request_cancel(job.id, keep_best=True)
        record = until(container, job.id, JobState.SUCCEEDED)
        assert (record.version, record.attempt) == (1, 1)


def search_state(container: Any, job: str) -> dict[str, Any]:
    state: dict[str, Any] = container.store.jobs.get(job).progress.get("search") or {}
    return state
