"""Slow and oversized requests, on raw sockets."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator

import pytest

from tests.app.server import Server


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with short timeouts."""
    home = tmp_path_factory.mktemp("quick") / "home"
    with Server(home, header_timeout=0.5, body_timeout=0.5, keep_alive=2) as server:
        yield server


def connect(server: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=60)


def read_all(line: socket.socket) -> bytes:
    """Read until the server closes the connection."""
    parts = []
    try:
        while part := line.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def problem_in(answer: bytes) -> dict[str, object]:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"content-type: application/problem+json" in head
    found: dict[str, object] = json.loads(body)
    return found


@pytest.mark.timed
@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: localhost\r\nA"])
def test_an_incomplete_request_is_closed(quick: Server, sent: bytes) -> None:
    with connect(quick) as line:
        line.sendall(sent)
        started = time.monotonic()
        answer = read_all(line)
        assert time.monotonic() - started < 3
    if sent:
        assert problem_in(answer)["status"] == 408


@pytest.mark.timed
def test_slow_headers_are_closed(quick: Server) -> None:
    with connect(quick) as line:
        line.sendall(b"GET / HTTP/1.1\r\n")
        started = time.monotonic()
        try:
            for i in range(100):
                line.sendall(f"X-{i}: 1\r\n".encode())
                time.sleep(0.1)
        except OSError:
            pass
        assert time.monotonic() - started < 5


@pytest.mark.timed
def test_a_slow_body_is_408(quick: Server) -> None:
    with connect(quick) as line:
        line.sendall(
            b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n"
            b"Content-Type: application/json\r\n\r\n{"
        )
        started = time.monotonic()
        answer = read_all(line)
        assert time.monotonic() - started < 6
    assert problem_in(answer)["type"] == "urn:frtsvm:problem:body-too-slow"


@pytest.mark.parametrize(
    "headers",
    [b"A: " + b"x" * 1_000_000 + b"\r\n", b"".join(b"A%d: 1\r\n" % i for i in range(10_000))],
)
def test_huge_headers_are_431(quick: Server, headers: bytes) -> None:
    with connect(quick) as line:
        try:
            line.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + headers + b"\r\n")
        except OSError:
            return  # closed while the client was still sending, which also refuses the request
        answer = read_all(line)
    assert answer == b"" or problem_in(answer)["status"] == 431


def test_not_http_is_a_400_problem(quick: Server) -> None:
    with connect(quick) as line:
        line.sendall(b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n")
        assert problem_in(read_all(line))["status"] == 400


def test_the_deadlines_do_not_end_keep_alive_connections(quick: Server) -> None:
    with connect(quick) as line:
        for _ in range(3):
            line.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = b""
            while not answer.endswith(b"}"):
                answer += line.recv(65536)
            assert answer.startswith(b"HTTP/1.1 200")
            time.sleep(0.8)


def test_headers_and_a_large_body_in_one_packet(quick: Server) -> None:
    body = json.dumps({"X": [[1.0] * 10] * 10_000}).encode()
    assert len(body) > 200_000
    with connect(quick) as line:
        line.sendall(
            b"POST /predict HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body
        )
        assert problem_in(read_all(line))["type"] == "urn:frtsvm:problem:model-not-found"
