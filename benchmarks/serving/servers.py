"""Start a server, wait until it is ready, read its CPU time and memory, stop it."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil

START_TIMEOUT = 120.0
STOP_TIMEOUT = 20.0


@dataclass(frozen=True)
class Server:
    name: str
    port: int
    pid: int
    start_seconds: float

    def processes(self) -> list[psutil.Process]:
        main = psutil.Process(self.pid)
        return [main, *main.children(recursive=True)]

    def cpu_seconds(self) -> float:
        """CPU time of all processes of the server so far."""
        total = 0.0
        for process in self.processes():
            times = process.cpu_times()
            total += times.user + times.system
        return total

    def resident_mb(self) -> float:
        """Memory of all processes of the server; shared pages count once."""
        return sum(process.memory_full_info().pss for process in self.processes()) / 2**20


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def running(
    name: str,
    command: Sequence[str],
    port: int,
    ready_path: str,
    log: Path,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Iterator[Server]:
    """Run the server for the duration of the block; write its output to `log`."""
    began = time.perf_counter()
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {})},
            cwd=folder,
            start_new_session=True,
        )
        try:
            _wait_until_ready(process, f"http://127.0.0.1:{port}{ready_path}", name, log)
            yield Server(name, port, process.pid, time.perf_counter() - began)
        finally:
            _stop(process)


def _wait_until_ready(process: subprocess.Popen[bytes], url: str, name: str, log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            if httpx.get(url, timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.02)
    tail = log.read_text(errors="replace")[-2000:]
    raise RuntimeError(f"{name} did not start. The end of its log:\n{tail}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Stop the process group of the server: SIGTERM first, SIGKILL if that is not enough."""
    try:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(STOP_TIMEOUT)
    except subprocess.TimeoutExpired:
        pass
    except ProcessLookupError:
        return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
