"""The fast path of small predictions, on raw sockets.

The tests compare the fast path with the ASGI application. A header that is not eligible for the
fast path sends the same request to the application.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BufferedReader
from typing import cast

import numpy as np
import pytest
import tritonclient.http as triton

from app.api.body_limit import InFlight
from app.api.fast_path import MAX_BYTES, MAX_HELD, FastPath
from app.api.raw import RouteTable
from app.api.recording import Recorder
from tests.app.data import two_blobs
from tests.app.server import Server

#: Does not change the response, but sends the request to the ASGI application.
VIA_APPLICATION = b"connection: close\r\n"
BODY = json.dumps({"model": "blobs", "X": [[0.5, 0.25], [3.5, 3.0]]}).encode()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(
        tmp_path_factory.mktemp("fast_path") / "home", keep_alive=1, body_timeout=3
    ) as server:
        x, y = two_blobs(40)
        with server.client() as client:
            answer = client.post("/train", json={"model": "blobs", "X": x, "y": y})
            assert answer.status_code == 201, answer.text
            client.post("/predict", content=BODY).raise_for_status()  # loads the model
        yield server


def request(body: bytes, path: str = "/predict", headers: bytes = b"") -> bytes:
    head = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {len(body)}\r\n"
    return head.encode() + headers + b"\r\n" + body


def connect(server: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=30)


def read_answer(answers: BufferedReader) -> tuple[bytes, bytes]:
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        read = answers.readline()
        assert read, head
        head += read
    found = re.search(rb"content-length: (\d+)", head)
    assert found is not None
    return head.removesuffix(b"\r\n\r\n"), answers.read(int(found[1]))


def ask(server: Server, *requests: bytes) -> list[tuple[bytes, bytes]]:
    """Send requests and read the responses at the same time.

    A server that cannot send its responses stops reading requests, so sending all requests first
    could block forever.
    """
    with connect(server) as line, ThreadPoolExecutor(1) as writer:
        sent = writer.submit(line.sendall, b"".join(requests))
        answers = line.makefile("rb")
        found = [read_answer(answers) for _ in requests]
        sent.result()
        return found


def names(head: bytes) -> list[bytes]:
    """Return the header names of a response except `connection`."""
    found = [line.split(b":")[0] for line in head.split(b"\r\n")[1:]]
    return [name for name in found if name != b"connection"]


def without_instance(body: bytes) -> bytes:
    return re.sub(rb'"instance":"[^"]*",?', b"", body)


V2 = json.dumps(
    {"inputs": [{"name": "X", "shape": [1, 2], "datatype": "FP64", "data": [0.5, 0.25]}]}
).encode()


@pytest.mark.parametrize(
    ("path", "body", "headers"),
    [
        ("/predict", BODY, b""),
        ("/predict", BODY, b"accept: text/csv\r\n"),
        (
            "/predict",
            np.array([0.5, 0.25]).tobytes(),
            b"content-type: application/octet-stream\r\n",
        ),
        ("/predict", b'{"model": "blobs", "X": [[0.5, "a"]]}', b""),
        ("/predict", b'{"model": "nobody", "X": [[0.5, 1]]}', b""),
        ("/predict", b'{"model": "blobs", "X": [[1, 2], [3]]}', b""),
        ("/predict", b"{", b""),
        ("/predict", BODY, b"accept: image/png\r\n"),
        ("/predict", BODY, b"content-type: text/html\r\n"),
        ("/predict", BODY, b"origin: http://evil.example\r\n"),
        ("/v2/models/blobs/infer", V2, b""),
        ("/v2/models/blobs/versions/1/infer", V2, b""),
        ("/v2/models/blobs/versions/9/infer", V2, b""),
        ("/v2/models/nobody/infer", V2, b""),
        ("/v2/models/blobs/infer", b"{}", b""),
        ("/v2/models/.hidden/infer", V2, b""),
        ("/v2/models/blobs/versions/x/infer", V2, b""),
    ],
)
def test_both_paths_give_the_same_response(
    server: Server, path: str, body: bytes, headers: bytes
) -> None:
    (fast, fast_body), (regular, regular_body) = ask(
        server, request(body, path, headers), request(body, path, headers + VIA_APPLICATION)
    )
    assert fast.split(b"\r\n")[0] == regular.split(b"\r\n")[0]
    assert sorted(names(fast)) == sorted(names(regular))
    assert without_instance(fast_body) == without_instance(regular_body)


def test_requests_are_counted_and_have_ids(server: Server) -> None:
    def counted() -> float:
        with server.client() as client:
            text = client.get("/metrics").text
        lines = re.findall(r'requests_total\{.*route="/predict",status="200"\} (\S+)', text)
        return sum(map(float, lines))

    before = counted()
    [(head, _)] = ask(server, request(BODY, headers=b"x-request-id: mine\r\n"))
    assert b"x-request-id: mine" in head
    [(other, _), (third, _)] = ask(server, request(BODY), request(BODY))
    ids = [re.search(rb"x-request-id: ([0-9a-f]{16})\r", each) for each in (other, third)]
    assert None not in ids
    assert len({each[1] for each in ids if each}) == 2
    assert counted() == before + 3


def test_pipelined_requests_are_answered_in_order(server: Server) -> None:
    """Fast-path requests alternate with requests to the application."""
    rows = [{"model": "blobs", "X": [[0.5, 0.25]] * n} for n in (1, 2, 3)]
    small = [request(json.dumps(row).encode()) for row in rows]
    get = b"GET /models/blobs HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"
    answers = ask(server, small[0], get, small[1], get, small[2])
    found = [json.loads(body) for _, body in answers]
    assert [len(found[i]["labels"]) for i in (0, 2, 4)] == [1, 2, 3]
    assert "labels" not in found[1]


@pytest.mark.parametrize("cut", [1, 40, 90, -1])
def test_a_request_in_two_packets(server: Server, cut: int) -> None:
    whole = request(BODY)
    with connect(server) as line:
        for _ in range(2):
            line.sendall(whole[:cut])
            time.sleep(0.05)
            line.sendall(whole[cut:])
            head, body = read_answer(line.makefile("rb"))
            assert head.startswith(b"HTTP/1.1 200")
            assert len(json.loads(body)["labels"]) == 2


def rows_body(n_bytes: int) -> bytes:
    """Return a prediction request of about that size."""
    row = "[0.5, 0.25],"
    rows = row * (n_bytes // len(row))
    return f'{{"model": "blobs", "X": [{rows[:-1]}]}}'.encode()


@pytest.mark.parametrize("n_bytes", [100_000, 600_000, 5_000_000])
def test_large_bodies_give_the_same_on_both_paths(server: Server, n_bytes: int) -> None:
    body = rows_body(n_bytes)
    (fast, fast_body), (small, _), (regular, regular_body) = ask(
        server, request(body), request(BODY), request(body, headers=VIA_APPLICATION)
    )
    for head in (fast, small, regular):
        assert head.startswith(b"HTTP/1.1 200")
    assert fast_body == regular_body


def test_bodies_beyond_the_memory_of_the_fast_path_are_served(server: Server) -> None:
    whole = request(rows_body(MAX_BYTES - 1000))
    lines = [connect(server) for _ in range(MAX_HELD // MAX_BYTES + 3)]
    try:
        for line in lines:
            line.sendall(whole[:-10])
        for line in lines:
            line.sendall(whole[-10:])
        for line in lines:
            assert read_answer(line.makefile("rb"))[0].startswith(b"HTTP/1.1 200")
    finally:
        for line in lines:
            line.close()


def test_held_bodies_are_limited() -> None:
    fast_path = FastPath(RouteTable([]), cast("Recorder", None), 10**9, InFlight(10**9))
    assert fast_path.reserve(MAX_HELD)
    assert not fast_path.reserve(1)
    fast_path.release(5)
    assert fast_path.reserve(5)
    assert not fast_path.reserve(1)


def test_held_bodies_count_with_all_other_bodies() -> None:
    everything = InFlight(10)
    fast_path = FastPath(RouteTable([]), cast("Recorder", None), 10**9, everything)
    assert everything.reserve(6)
    assert not fast_path.reserve(5)
    assert fast_path.reserve(4)
    assert not everything.reserve(1)
    fast_path.release(4)
    assert everything.reserve(4)


@pytest.mark.timed
def test_an_incomplete_body_is_408(server: Server) -> None:
    with connect(server) as line:
        line.sendall(request(BODY)[:-5])
        started = time.monotonic()
        head, body = read_answer(line.makefile("rb"))
        assert 2 < time.monotonic() - started < 12
        assert head.startswith(b"HTTP/1.1 408")
        assert json.loads(body)["type"] == "urn:frtsvm:problem:body-too-slow"
        assert line.recv(1) == b""


@pytest.mark.timed
def test_an_idle_connection_is_closed(server: Server) -> None:
    with connect(server) as line:
        line.sendall(request(BODY))
        read_answer(line.makefile("rb"))
        started = time.monotonic()
        assert line.recv(1) == b""
        assert 0.5 < time.monotonic() - started < 5


def test_expect_100_continue(server: Server) -> None:
    with connect(server) as line:
        line.sendall(request(BODY, headers=b"expect: 100-continue\r\n")[: -len(BODY)])
        assert line.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        line.sendall(BODY)
        assert read_answer(line.makefile("rb"))[0].startswith(b"HTTP/1.1 200")


def test_a_chunked_body(server: Server) -> None:
    head = b"POST /predict HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\n"
    chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)
    [(answer, _)] = ask(server, head + chunks)
    assert answer.startswith(b"HTTP/1.1 200")


def test_a_client_that_does_not_read_is_slowed_down(server: Server) -> None:
    """When the socket is full of responses, the server stops reading, and continues later."""
    count = 300_000
    with connect(server) as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.setblocking(False)
        sent, waiting = 0, request(BODY) * count
        until = time.monotonic() + 2
        while sent < len(waiting) and time.monotonic() < until:
            try:
                sent += line.send(waiting[sent : sent + 65536])
            except BlockingIOError:
                time.sleep(0.01)
            except ConnectionError:  # the server closed the connection
                break
        assert sent < len(waiting)  # the server does not accept everything while nothing is read
    with server.client() as client:
        assert client.post("/predict", content=BODY).status_code == 200


def test_an_incomplete_request_is_served_when_the_server_stops(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with Server(tmp_path_factory.mktemp("stop") / "home") as server:
        x, y = two_blobs(40)
        with server.client() as client:
            client.post("/train", json={"model": "blobs", "X": x, "y": y}).raise_for_status()
            client.post("/predict", content=BODY).raise_for_status()
        whole = request(BODY)
        with connect(server) as line:
            line.sendall(whole[:-5])
            time.sleep(0.3)
            os.kill(server.pid, signal.SIGTERM)
            time.sleep(0.5)
            line.sendall(whole[-5:])
            head, body = read_answer(line.makefile("rb"))
            assert head.startswith(b"HTTP/1.1 200")
            assert len(json.loads(body)["labels"]) == 2


def test_tritonclient_uses_the_fast_path(server: Server) -> None:
    """Headers and body in separate packets, binary tensors in both directions."""
    with triton.InferenceServerClient(f"127.0.0.1:{server.port}") as client:
        given = triton.InferInput("X", [1, 2], "FP64")
        given.set_data_from_numpy(np.array([[0.5, 0.25]]))
        answers = [client.infer("blobs", [given]).as_numpy("label") for _ in range(3)]
    assert len({str(answer) for answer in answers}) == 1
