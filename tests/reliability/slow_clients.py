"""D5, D6: clients that keep connections open, and requests that are expensive to refuse."""

from __future__ import annotations

import json
import selectors
import socket
import threading
import time
from collections.abc import Callable, Iterator

import httpx

from app.api.problems import MAX_BYTES
from tests.app.data import training
from tests.app.server import Server
from tests.reliability.invariants import growth
from tests.reliability.over_http import resources_of
from tests.reliability.programme import Run, row
from tests.reliability.servers import make_server
from tests.reliability.wire import request, send

HEADERS = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"
BODY = (
    b"POST /predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b"Content-Length: 100000\r\n\r\n"
)
#: Seconds that the server waits, and tolerance: 2 s of the server, the rest for a busy machine.
DEADLINE, ALLOWANCE = 2.0, 6.0


def half_headers(number: int) -> tuple[bytes, bytes]:
    """Incomplete headers, then nothing."""
    return HEADERS + b"X: 1", b""


def nothing(number: int) -> tuple[bytes, bytes]:
    """A connection without any byte."""
    return b"", b""


def slow_headers(number: int) -> tuple[bytes, bytes]:
    """One header field after the other, without end."""
    return HEADERS, b"X-%d: 1\r\n" % number


def slow_body(number: int) -> tuple[bytes, bytes]:
    """A body of one byte after the other, without end."""
    return BODY, b" "


def slow_chunks(number: int) -> tuple[bytes, bytes]:
    """A body of one chunk after the other, without end."""
    head = BODY.replace(b"Content-Length: 100000", b"Transfer-Encoding: chunked")
    return head, b"1\r\n \r\n"


KINDS: tuple[Callable[[int], tuple[bytes, bytes]], ...] = (
    *(half_headers, nothing, slow_headers, slow_body, slow_chunks),
)


@row("D5", "slow clients; a case is a connection", full=2500, quick=250, part=500)
def slow_clients(run: Run) -> None:
    """All slow connections are closed in time; other clients get responses meanwhile."""
    variables = {"header_timeout": DEADLINE, "body_timeout": DEADLINE, "keep_alive": 2}
    with make_server(run.new_folder("home"), **variables) as server, server.client() as client:
        assert client.get("/healthz").status_code == 200
        before = resources_of(server)
        with ConcurrentClient(server) as other:
            for kind in KINDS:
                each = run.wanted // len(KINDS)
                for seconds in _hold(server, kind, each):
                    late = seconds > DEADLINE + ALLOWANCE
                    found = [f"I3: closed only after {seconds:.1f} s"] if late else []
                    run.add_case(found, kind.__name__)
        run.add_violations(*other.violations)
        run.keep_maximum(
            "largest delay of other clients in ms", round(1000 * max(other.waits, default=0.0))
        )
        time.sleep(0.5)
        run.add_violations(*growth(before, resources_of(server)))


def _hold(
    server: Server, kind: Callable[[int], tuple[bytes, bytes]], wanted: int
) -> Iterator[float]:
    """Open connections; yield for each the seconds until the server closed it."""
    began: dict[socket.socket, float] = {}
    again: dict[socket.socket, bytes] = {}
    waiting = selectors.DefaultSelector()
    for number in range(wanted):
        connection = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        first, again[connection] = kind(number)
        began[connection] = time.monotonic()
        connection.sendall(first)
        connection.setblocking(False)
        waiting.register(connection, selectors.EVENT_READ)
    limit = time.monotonic() + 4 * (DEADLINE + ALLOWANCE)
    next_drip = time.monotonic()
    while began and time.monotonic() < limit:
        for key, _ in waiting.select(timeout=0.1):
            connection = key.fileobj
            assert isinstance(connection, socket.socket)
            if _is_closed(connection):
                waiting.unregister(connection)
                yield time.monotonic() - began.pop(connection)
                connection.close()
        if time.monotonic() >= next_drip:
            next_drip = time.monotonic() + 0.3
            for connection in began:
                _drip(connection, again[connection])
    for connection in began:
        connection.close()
        yield float("inf")


def _is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(65536) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def _drip(connection: socket.socket, piece: bytes) -> None:
    try:
        connection.send(piece)
    except OSError:
        return  # closed by the server; the next check notices it


class ConcurrentClient:
    """Client that requests /healthz continuously."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.waits: list[float] = []
        self.violations: list[str] = []

    def _run(self) -> None:
        with self._server.client() as client:
            while not self._stop.is_set():
                began = time.monotonic()
                try:
                    status = client.get("/healthz").status_code
                except httpx.TransportError as error:
                    self.violations.append(
                        f"I3: a client with complete requests was disconnected: {error!r}"
                    )
                    continue
                self.waits.append(time.monotonic() - began)
                if status != 200:
                    self.violations.append(f"I3: /healthz returns {status}")
                time.sleep(0.02)

    def __enter__(self) -> ConcurrentClient:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()


def costly_bodies() -> dict[str, bytes]:
    """Bodies of some hundred kilobytes in which every value is invalid."""
    n = 60_000
    return {
        "cells of text": b'{"X": [' + b",".join([b'["a",true]'] * n) + b'], "y": [1]}',
        "cells of objects": b'{"X": [' + b",".join([b"[{}]"] * n) + b'], "y": [1]}',
        "rows of text": b'{"X": [' + b",".join([b'"a"'] * n) + b'], "y": [1]}',
        "rows of different lengths": json.dumps(
            {"X": [[1] * (i % 50) for i in range(6000)]}
        ).encode(),
        "nulls": b'{"X": [' + b",".join([b"[null]"] * n) + b'], "y": [1]}',
        "labels of lists": b'{"X": [[1]], "y": [' + b",".join([b"[]"] * n) + b"]}",
        "labels of different types": b'{"X": [[1]], "y": ['
        + b",".join([b'1,"a",true'] * (n // 3))
        + b"]}",
        "unknown keys": b"{" + b",".join(b'"k%d":1' % i for i in range(n)) + b"}",
        "unknown parameters": b'{"params": {' + b",".join(b'"k%d":1' % i for i in range(n)) + b"}}",
        "names": json.dumps({"feature_names": [1] * n, "X": [[1]], "y": [1]}).encode(),
        "long names": json.dumps({"feature_names": ["a" * 5000] * 50, "X": [[1]]}).encode(),
        "weights": b'{"sample_weight": [' + b",".join([b'"a"'] * n) + b'], "X": [[1]], "y": [1]}',
        "class weights": json.dumps(
            {"params": {"class_weight": {str(i): -1 for i in range(n)}}}
        ).encode(),
        "grid": json.dumps({"search": {"grid": {"c1": [-1] * n}}}).encode(),
        "deep": b'{"X":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        "one long text": b'{"model": "' + b"\\u00e9" * 60_000 + b'"}',
        "one long key": b'{"' + b"k" * 500_000 + b'": 1}',
        "not finite": b'{"X": [' + b",".join([b"[1e999]"] * n) + b'], "y": [1]}',
        "objects with different keys": json.dumps(
            {"X": [{f"k{i}": 1} for i in range(20_000)]}
        ).encode(),
        "surrogates": b'{"y": [' + b",".join([b'"\\ud800"'] * (n // 2)) + b"]}",
    }


@row("D6", "requests that are expensive to refuse, to two routes", full=40, quick=40)
def costly_requests(run: Run) -> None:
    """Responses have at most 16 KB, and other clients are not delayed."""
    with make_server(run.new_folder("home")) as server, server.client() as client:
        assert client.post("/train", json=training("m")).status_code == 201
        with ConcurrentClient(server) as other:
            for path in ("/train", "/predict"):
                for name, body in costly_bodies().items():
                    reply = send(server.port, request("POST", path, body), patience=30)
                    found = []
                    if not 400 <= reply.status < 500:
                        found.append(f"I3: responds with {reply.status}")
                    if len(reply.body) > MAX_BYTES:
                        found.append(f"I3: the response has {len(reply.body)} bytes")
                    run.add_case(found, f"{name} to {path}")
        run.add_violations(*other.violations)
        run.keep_maximum("largest delay of other clients in ms", round(1000 * max(other.waits)))
