"""Real server processes for tests, on 127.0.0.1 and a free port."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

FRTSVM = Path(sys.executable).with_name("frtsvm")
#: The first start ever compiles the numerical code.
START_SECONDS = 60.0


def free_port() -> int:
    """A port that nobody uses at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def children_of(pid: int) -> list[int]:
    """Processes that a process has started, directly or not."""
    found: list[int] = []
    pending = [pid]
    while pending:
        current = pending.pop()
        try:
            tasks = list(Path(f"/proc/{current}/task").iterdir())
        except OSError:
            continue
        for task in tasks:
            try:
                text = (task / "children").read_text()
            except OSError:
                continue
            new = [int(word) for word in text.split()]
            found += new
            pending += new
    return found


def is_running(pid: int) -> bool:
    """Whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Server:
    """`frtsvm serve` with a folder of its own."""

    program: tuple[str, ...] = (str(FRTSVM),)

    def __init__(self, home: Path, workers: int = 1, **variables: Any) -> None:
        self.home = home
        self.workers = workers
        # Many of the servers here never train, or are killed at once.
        variables = {"training_preload": False, **variables}
        self.variables = {f"FRTSVM_{name.upper()}": str(v) for name, v in variables.items()}
        self.environment: dict[str, str] = {}
        """What else its processes find in their environment."""
        self.log = home.with_name(f"{home.name}.log")
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *, wait: bool = True) -> None:
        """Start, and wait until it is ready."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("FRTSVM_")}
        environment |= {"FRTSVM_HOME": str(self.home), **self.variables, **self.environment}
        command = [*self.program, "serve", f"--port={self.port}", f"--workers={self.workers}"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, env=environment, stdout=log, stderr=log, start_new_session=True
            )
        if wait:
            try:
                self.wait_until_ready()
            except BaseException:  # nobody else would end it
                self.kill()
                raise

    def wait_until_ready(self) -> None:
        """Until /readyz says so."""
        assert self.process is not None
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise AssertionError(f"the server ended: {self.log.read_text()[-2000:]}")
            if self.is_ready():
                return
            time.sleep(0.05)
        raise AssertionError(f"not ready: {self.log.read_text()[-2000:]}")

    def is_ready(self) -> bool:
        """What /readyz says at this moment."""
        line = HTTPConnection("127.0.0.1", self.port, timeout=2)
        try:
            line.request("GET", "/readyz")
            return line.getresponse().status == 200
        except (OSError, HTTPException):
            return False
        finally:
            line.close()

    @property
    def pid(self) -> int:
        """The process that was started."""
        assert self.process is not None
        return self.process.pid

    def pids(self) -> list[int]:
        """That process and all it has started."""
        return [self.pid, *children_of(self.pid)]

    def stop(self) -> int:
        """Ask it to stop; returns its exit code."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.terminate()
        try:
            return self.process.wait(timeout=40)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def kill(self) -> None:
        """`kill -9` for all of its processes, and wait until they are gone."""
        assert self.process is not None
        pids = self.pids()
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.wait(timeout=20)
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and any(map(is_running, pids)):
            time.sleep(0.01)

    def client(self, **options: Any) -> httpx.Client:
        """A client with patience. Preparing for TLS, which nobody here speaks, takes it 40 ms."""
        return httpx.Client(base_url=self.url, timeout=60, verify=False, **options)

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            if self.process is not None:
                self.kill()  # nobody else would
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process is not None and self.process.poll() is None:
            self.stop()
