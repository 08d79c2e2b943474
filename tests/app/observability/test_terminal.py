"""Log lines of the programs that run in a terminal, here a pseudo-terminal."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.app.cluster import READY_SECONDS, Cluster
from tests.app.server import FRTSVM, children_of, free_port

LINE = re.compile(r"\d\d:\d\d:\d\d (DEBUG|INFO|WARNING|ERROR) +\S.*")


class Terminal:
    """A program whose standard output and error are a pseudo-terminal."""

    def __init__(self, *arguments: str, **variables: str) -> None:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("FRTSVM_")}
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [str(FRTSVM), *arguments],
            env=environment | variables,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        self._output = b""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                self._output += os.read(self._master, 65536)
            except OSError:  # no process has the terminal open any more
                return

    @property
    def lines(self) -> list[str]:
        """The complete lines that the program has written."""
        return self._output.decode().replace("\r\n", "\n").split("\n")[:-1]

    def wait_for(self, pattern: str, count: int = 1) -> list[str]:
        """Wait until so many whole lines match the pattern, and return them."""
        deadline = time.monotonic() + READY_SECONDS
        while True:
            found = [line for line in self.lines if re.fullmatch(pattern, line)]
            if len(found) >= count:
                return found
            assert self.process.poll() is None, self.lines
            assert time.monotonic() < deadline, self.lines
            time.sleep(0.02)

    def stop(self) -> None:
        """End the program and wait until everything that it wrote has been read."""
        self.process.terminate()
        self.process.wait(timeout=40)
        self._reader.join(timeout=10)


@contextmanager
def terminal(*arguments: str, **variables: str) -> Iterator[Terminal]:
    running = Terminal(*arguments, **variables)
    pids = []
    try:
        yield running
        pids = children_of(running.process.pid)
        running.stop()
    finally:
        for pid in [running.process.pid, *(pids or children_of(running.process.pid))]:
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                continue
        running.process.wait()


@pytest.mark.parametrize("workers", [1, 2])
def test_serve_writes_readable_lines_to_a_terminal(tmp_path: Path, workers: int) -> None:
    port = free_port()
    with terminal(
        "serve",
        f"--port={port}",
        f"--workers={workers}",
        FRTSVM_HOME=str(tmp_path / "home"),
        FRTSVM_TRAINING_PRELOAD="false",
    ) as running:
        running.wait_for(r"\S+ INFO     Application startup complete\.", count=workers)
        answer = httpx.get(
            f"http://127.0.0.1:{port}/healthz", headers={"x-request-id": "abc"}, timeout=30
        )
        assert answer.status_code == 200
        running.wait_for(r"\S+ INFO     GET /healthz 200 in \d+\.\d+ ms  request_id=abc")
    assert [line for line in running.lines if not LINE.fullmatch(line)] == []


def test_serve_writes_json_to_a_terminal_if_it_is_set(tmp_path: Path) -> None:
    with terminal(
        "serve",
        f"--port={free_port()}",
        FRTSVM_HOME=str(tmp_path / "home"),
        FRTSVM_TRAINING_PRELOAD="false",
        FRTSVM_LOG_FORMAT="json",
    ) as running:
        running.wait_for(r'\{"time":.*"message":"Application startup complete\."\}')


def test_a_cluster_worker_writes_readable_lines_to_a_terminal(tmp_path: Path) -> None:
    with Cluster(tmp_path) as cluster:
        with terminal(
            "worker",
            "--host=127.0.0.1",
            "--folds=1",
            FRTSVM_HOME=str(tmp_path / "home"),
            FRTSVM_DASK_SCHEDULER=cluster.address,
        ) as running:
            running.wait_for(rf"\S+ INFO     worker ready  scheduler={cluster.address}")
        assert [line for line in running.lines if not LINE.fullmatch(line)] == []
