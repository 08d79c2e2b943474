"""Load generator: sends prepared request bytes over keep-alive connections, on uvloop.

It needs about 20 microseconds of CPU time per request, far less than any measured server, and checks
the status of every response.
"""

import asyncio
import multiprocessing
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

import uvloop

HEADER_END = b"\r\n\r\n"
LENGTH = b"\r\ncontent-length:"
#: Seconds to wait for a response. A longer wait is an error.
DEADLINE = 120.0


class BadResponse(Exception):
    """The response is missing, or its status is not 200."""


@dataclass(frozen=True)
class LoadResult:
    """Responses within one measurement."""

    seconds: float
    latencies: list[float]  # seconds, one per response

    @property
    def count(self) -> int:
        return len(self.latencies)

    def quantile(self, fraction: float) -> float:
        ranked = sorted(self.latencies)
        return ranked[min(len(ranked) - 1, int(fraction * len(ranked)))]


def request_bytes(
    path: str, body: bytes, content_type: str, headers: dict[str, str] | None = None
) -> bytes:
    lines = [
        f"POST {path} HTTP/1.1",
        "Host: localhost",
        f"Content-Type: {content_type}",
        f"Content-Length: {len(body)}",
        *(f"{name}: {value}" for name, value in (headers or {}).items()),
    ]
    return "\r\n".join(lines).encode() + HEADER_END + body


class _Connection(asyncio.Protocol):
    """A connection that sends one request at a time and waits for the complete response."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport
        self._received = bytearray()
        self._whole = -1
        self._response: asyncio.Future[bytes] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        if self._whole < 0:
            end = self._received.find(HEADER_END)
            if end < 0:
                return
            head = bytes(self._received[:end]).lower()
            begin = head.index(LENGTH) + len(LENGTH)
            length = int(head[begin:].split(b"\r\n", 1)[0])
            self._whole = end + len(HEADER_END) + length
        if len(self._received) >= self._whole and self._response is not None:
            response, self._response = self._response, None
            if not self._received.startswith(b"HTTP/1.1 200"):
                response.set_exception(BadResponse(bytes(self._received[:300]).decode("latin-1")))
            else:
                response.set_result(bytes(self._received))
            self._received.clear()
            self._whole = -1

    def connection_lost(self, _exc: Exception | None) -> None:
        if self._response is not None and not self._response.done():
            self._response.set_exception(
                BadResponse("The server closed the connection before the response was complete.")
            )

    async def send(self, request: bytes) -> bytes:
        self._response = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._response

    def close(self) -> None:
        self._transport.abort()


async def _connect(port: int) -> _Connection:
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(_Connection, "127.0.0.1", port)
    return connection


def post_once(port: int, request: bytes) -> bytes:
    """Send one request; return the body of the response."""

    async def send() -> bytes:
        connection = await _connect(port)
        try:
            return (await asyncio.wait_for(connection.send(request), DEADLINE)).split(
                HEADER_END, 1
            )[1]
        finally:
            connection.close()

    return uvloop.run(send())


def closed_loop(port: int, request: bytes, connections: int, seconds: float) -> LoadResult:
    """Send requests on several connections, each as soon as the previous response is complete."""

    async def client(until: float, latencies: list[float]) -> None:
        connection = await _connect(port)
        try:
            while (began := time.perf_counter()) < until:
                await connection.send(request)
                latencies.append(time.perf_counter() - began)
        finally:
            connection.close()

    async def run() -> LoadResult:
        latencies: list[float] = []
        began = time.perf_counter()
        clients = [client(began + seconds, latencies) for _ in range(connections)]
        await asyncio.wait_for(asyncio.gather(*clients), seconds + DEADLINE)
        return LoadResult(time.perf_counter() - began, latencies)

    return uvloop.run(run())


def fixed_rate(port: int, request: bytes, per_second: float, seconds: float) -> LoadResult:
    """Send requests at fixed times on one connection.

    A late response delays the next requests. The latency counts from the time at which a request was
    due, so it includes that delay, and a stalled server is not hidden by a client that waits for it.
    """

    async def run() -> LoadResult:
        connection = await _connect(port)
        latencies: list[float] = []
        began = time.perf_counter()
        try:
            for number in range(int(per_second * seconds)):
                due = began + number / per_second
                wait = due - time.perf_counter()
                if wait > 0:
                    await asyncio.sleep(wait)
                await asyncio.wait_for(connection.send(request), DEADLINE)
                latencies.append(time.perf_counter() - due)
        finally:
            connection.close()
        return LoadResult(time.perf_counter() - began, latencies)

    return uvloop.run(run())


@contextmanager
def background_client(port: int, request: bytes) -> Iterator[None]:
    """Run a client in a separate process that repeats the same request without pause."""
    context = multiprocessing.get_context("spawn")
    ready = context.Event()
    process = context.Process(target=_repeat, args=(port, request, ready), daemon=True)
    process.start()
    try:
        if not ready.wait(DEADLINE):
            raise BadResponse(f"The background client got no response within {DEADLINE:g} s.")
        yield
        if not process.is_alive():
            raise BadResponse("The background client failed; see its traceback above.")
    finally:
        process.kill()
        process.join()


def _repeat(port: int, request: bytes, ready: "multiprocessing.synchronize.Event") -> None:
    async def run() -> None:
        connection = await _connect(port)
        while True:
            await connection.send(request)
            ready.set()

    uvloop.run(run())
