"""Training processes: limits, kills and shutdown, and what remains after them."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from app.container import Container
from app.schemas.jobs import JobState
from app.schemas.table import Table
from app.schemas.training import TrainingOptions
from app.settings import Settings
from app.store.jobs import JobRecord
from tests.app.data import slow_training, training
from tests.app.server import Server, children_of, is_running


@contextmanager
def running(home: Path, url: str, **settings: Any) -> Iterator[Container]:
    container = Container(Settings(home=home, database_url=url, shutdown_grace=0.1, **settings))
    container.start()
    try:
        yield container
    finally:
        container.close()


def submit(container: Container, body: dict[str, Any]) -> JobRecord:
    options = {k: body[k] for k in ("params", "validation", "search") if k in body}
    table = Table(np.array(body["X"], dtype=float))
    return container.trainings.submit_table(
        body["model"], table, body["y"], None, TrainingOptions.model_validate(options), "test"
    )


def until(container: Container, job: str, *states: JobState) -> JobRecord:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        record = container.store.jobs.get(job)
        if record.state in states:
            return record
        time.sleep(0.02)
    raise AssertionError(record)


def nothing_left(container: Container) -> bool:
    """Whether all files of ended jobs disappear within 10 s, as they do after the row changes."""
    files = container.store.files
    deadline = time.monotonic() + 10
    while files.stored_spools() or list(files.temporary.iterdir()):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_a_training_over_its_time_limit_fails(tmp_path: Path, database_url: str) -> None:
    with running(tmp_path / "home", database_url, training_timeout=0.5) as container:
        record = until(container, submit(container, slow_training()).id, JobState.FAILED)
        assert record.error is not None
        assert record.error["code"] == "timed_out"
        assert nothing_left(container)


def test_a_training_over_its_memory_limit_fails_and_the_next_one_runs(
    tmp_path: Path, database_url: str, monkeypatch: Any
) -> None:
    # Disable the estimate, which would refuse the job, to test the limit of the process itself.
    monkeypatch.setattr("app.services.training.estimate_bytes", lambda data, options: 1)
    with running(tmp_path / "home", database_url, training_memory=64 * 1024**2) as container:
        body = training("big")
        body["X"] = np.random.default_rng(0).normal(size=(6000, 2)).tolist()
        body["y"] = [i % 2 for i in range(6000)]
        body["params"] = {"rank": None}
        record = until(container, submit(container, body).id, JobState.FAILED)
        assert record.error is not None
        assert record.error["code"] == "out_of_memory"
        small = submit(container, training("small"))
        assert until(container, small.id, JobState.SUCCEEDED).version == 1
        assert nothing_left(container)


def test_a_killed_training_process_fails_only_its_job(tmp_path: Path, database_url: str) -> None:
    with running(tmp_path / "home", database_url) as container:
        job = submit(container, slow_training()).id
        until(container, job, JobState.RUNNING)
        deadline = time.monotonic() + 20
        while "validating" not in container.store.jobs.get(job).progress["phase"]:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        forked = [pid for pid in children_of(os.getpid()) if is_job(pid)]
        os.kill(forked[0], signal.SIGKILL)
        record = until(container, job, JobState.FAILED)
        assert record.error is not None
        assert record.error["code"] == "killed"
        small = submit(container, training("small"))
        until(container, small.id, JobState.SUCCEEDED)


def is_job(pid: int) -> bool:
    """Whether a process is a fork of the fork server: its parent has the same command line."""
    try:
        parent = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        return b"forkserver" in command and Path(f"/proc/{parent}/cmdline").read_bytes() == command
    except OSError:
        return False


def test_data_that_cannot_be_trained_on_are_rejected(tmp_path: Path, database_url: str) -> None:
    with running(tmp_path / "home", database_url) as container:
        body = training("rejected")
        body["params"] = {"kernel": "sigmoid", "gamma": 50.0, "coef0": -3.0}
        record = until(container, submit(container, body).id, JobState.FAILED)
        assert record.error is not None
        assert record.error["code"] == "rejected"
        assert "positive semi-definite" in record.error["detail"]


def test_shutdown_interrupts_running_jobs_and_keeps_queued_ones(
    tmp_path: Path, database_url: str
) -> None:
    with running(tmp_path / "home", database_url) as container:
        job = submit(container, slow_training()).id
        until(container, job, JobState.RUNNING)
        waiting = submit(container, training("waiting")).id
    with running(tmp_path / "home", database_url) as container:
        record = container.store.jobs.get(job)
        assert record.state is JobState.FAILED
        assert record.error is not None
        assert record.error["code"] == "interrupted"
        # The queued job runs after the restart.
        assert until(container, waiting, JobState.SUCCEEDED).version == 1


def test_no_process_survives_sigkill_of_the_server(tmp_path: Path, database_url: str) -> None:
    server = Server(tmp_path / "home", database_url=database_url)
    server.start()
    headers = {"prefer": "respond-async"}
    with server.client() as client:
        job = client.post("/train", json=slow_training(), headers=headers).json()["id"]
        queued = client.post("/train", json=training("queued"), headers=headers).json()["id"]
        deadline = time.monotonic() + 30
        while client.get(f"/jobs/{job}").json()["state"] != "running":
            assert time.monotonic() < deadline
            time.sleep(0.05)
    pids = server.pids()
    os.kill(server.pid, signal.SIGKILL)  # kill the server only: its children must end by themselves
    assert server.process is not None
    server.process.wait()
    deadline = time.monotonic() + 10
    while any(map(is_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_running, pids))
    with server, server.client() as client:
        deadline = time.monotonic() + 30
        while client.get(f"/jobs/{queued}").json()["state"] != "succeeded":
            assert time.monotonic() < deadline
            time.sleep(0.05)
        interrupted = client.get(f"/jobs/{job}").json()
        assert interrupted["state"] == "failed"
        assert interrupted["error"]["code"] == "interrupted"
