"""A real Dask cluster for tests: scheduler and workers in separate processes."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.app.server import FRTSVM, children_of, free_port

DASK = Path(sys.executable).with_name("dask")
#: A busy machine may take a minute to start a worker.
READY_SECONDS = 180.0


class Cluster:
    """A scheduler on 127.0.0.1 and workers with common settings but separate home folders."""

    def __init__(self, folder: Path, **variables: Any) -> None:
        self._folder = folder
        self._port = free_port()
        self.address = f"tcp://127.0.0.1:{self._port}"
        self._variables = {f"FRTSVM_{name.upper()}": str(v) for name, v in variables.items()}
        self._scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []

    def start_scheduler(self) -> None:
        """Start the scheduler and wait until it accepts connections."""
        options = ["--host", "127.0.0.1", "--port", str(self._port), "--no-dashboard"]
        self._scheduler = self._popen("scheduler", [str(DASK), "scheduler", *options], {})
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self._port)) == 0:
                    return
            time.sleep(0.05)
        raise AssertionError(self.log_of("scheduler"))

    def stop_scheduler(self) -> None:
        """Kill the scheduler, as in a crash."""
        assert self._scheduler is not None
        self._scheduler.kill()
        self._scheduler.wait()

    def add_worker(self, home: Path | None = None, folds: int = 1) -> subprocess.Popen[bytes]:
        """Start a worker and wait until it has joined the cluster."""
        name = f"worker{len(self.workers)}"
        variables = {
            **self._variables,
            "FRTSVM_HOME": str(home or self._folder / name),
            "FRTSVM_DASK_SCHEDULER": self.address,
        }
        command = [str(FRTSVM), "worker", "--host=127.0.0.1", f"--folds={folds}"]
        worker = self._popen(name, command, variables)
        self.workers.append(worker)
        deadline = time.monotonic() + READY_SECONDS
        while "worker ready" not in self.log_of(name):
            assert worker.poll() is None, self.log_of(name)
            assert time.monotonic() < deadline, self.log_of(name)
            time.sleep(0.05)
        return worker

    def _popen(
        self, name: str, command: list[str], variables: dict[str, str]
    ) -> subprocess.Popen[bytes]:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("FRTSVM_")}
        with (self._folder / f"{name}.log").open("ab") as log:
            return subprocess.Popen(
                command,
                env=environment | variables,
                cwd=self._folder,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def log_of(self, name: str) -> str:
        """Return the output of a process."""
        path = self._folder / f"{name}.log"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def __enter__(self) -> Self:
        self.start_scheduler()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in [*self.workers, self._scheduler]:
            if process is not None and process.poll() is None:
                pids = [process.pid, *children_of(process.pid)]
                for pid in pids:
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except ProcessLookupError:
                        continue
                process.wait()
