"""Server processes for tests, on 127.0.0.1 and a free port."""

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
#: Generous, because the first start on a machine compiles the numerical code.
START_SECONDS = 60.0


def free_port() -> int:
    """Return a port that is currently unused."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def children_of(pid: int) -> list[int]:
    """Return all descendants of a process."""
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
    """`frtsvm serve` with a separate home folder."""

    program: tuple[str, ...] = (str(FRTSVM),)

    def __init__(self, home: Path, workers: int = 1, **variables: Any) -> None:
        self.home = home
        self.workers = workers
        # Preloading would be wasted: many of these servers never train, or are killed soon.
        variables = {"training_preload": False, **variables}
        self.variables = {f"FRTSVM_{name.upper()}": str(v) for name, v in variables.items()}
        self.environment: dict[str, str] = {}
        """Additional environment variables of its processes."""
        self.log = home.with_name(f"{home.name}.log")
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *, wait: bool = True) -> None:
        """Start the server and, by default, wait until it is ready."""
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
            except BaseException:  # otherwise it would keep running
                self.kill()
                raise

    def wait_until_ready(self) -> None:
        """Wait until /readyz returns 200."""
        assert self.process is not None
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise AssertionError(f"the server exited: {self.log.read_text()[-2000:]}")
            if self.is_ready():
                return
            time.sleep(0.05)
        raise AssertionError(f"the server is not ready: {self.log.read_text()[-2000:]}")

    def is_ready(self) -> bool:
        """Whether /readyz returns 200 at this moment."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=2)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()

    @property
    def pid(self) -> int:
        """Id of the main process."""
        assert self.process is not None
        return self.process.pid

    def pids(self) -> list[int]:
        """Return the ids of the main process and all its descendants."""
        return [self.pid, *children_of(self.pid)]

    def stop(self) -> int:
        """Stop the server with SIGTERM; return its exit code."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.terminate()
        try:
            return self.process.wait(timeout=40)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def kill(self) -> None:
        """Kill all processes with SIGKILL and wait until they have ended."""
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
        """Return a client with a timeout of 60 s, without TLS setup, which would take 40 ms."""
        return httpx.Client(base_url=self.url, timeout=60, verify=False, **options)

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            if self.process is not None:
                self.kill()  # otherwise it would keep running
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
