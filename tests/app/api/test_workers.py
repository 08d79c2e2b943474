"""Several workers: the supervisor checks each, no matter what the others do."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
import uvicorn

from app.api.workers import Worker
from tests.app.server import Server
from tests.reliability.kills import victims


class _Process:
    alive = True

    def is_alive(self) -> bool:
        return self.alive


def _worker() -> tuple[Worker, _Process]:
    worker, process = Worker(uvicorn.Config("nothing"), []), _Process()
    worker.process = process  # type: ignore[assignment]
    return worker, process


def test_a_worker_that_responds_is_alive() -> None:
    worker, _ = _worker()
    for _ in range(3):
        assert worker.is_alive(timeout=0.05)
        worker.child_conn.recv()
        time.sleep(0.06)
        worker.child_conn.send(True)


def test_an_unresponsive_worker_is_pinged_once_and_then_times_out() -> None:
    worker, _ = _worker()
    began = time.monotonic()
    while worker.is_alive(timeout=0.2):
        time.sleep(0.01)
    assert time.monotonic() - began >= 0.2
    worker.child_conn.recv()
    assert not worker.child_conn.poll()


def test_a_worker_that_ended_or_closed_its_pipe_is_not_alive() -> None:
    worker, process = _worker()
    process.alive = False
    assert not worker.is_alive()
    worker, _ = _worker()
    worker.child_conn.close()
    assert not worker.is_alive()


@pytest.mark.timed
def test_a_killed_worker_is_replaced_while_another_is_stopped(tmp_path: Path) -> None:
    with Server(tmp_path / "home", workers=2, shutdown_grace=1) as server:
        silent, killed = victims(server, "workers")
        os.kill(silent, signal.SIGSTOP)
        time.sleep(1.5)
        os.kill(killed, signal.SIGKILL)
        deadline = time.monotonic() + 10
        while len(set(victims(server, "workers")) - {killed}) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        os.kill(silent, signal.SIGCONT)
