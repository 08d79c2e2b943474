"""CPU time of a prediction, compared with the CPU time of FastAPI itself.

Both servers are measured alternately, and the best of several rounds counts: a busy machine makes
rounds slower, never faster.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np
import pytest

from tests.app.data import two_blobs
from tests.app.server import Server, free_port

CONNECTIONS = 8

pytestmark = pytest.mark.timed


@dataclass(frozen=True)
class Side:
    """A request and the server process that receives it."""

    pid: int
    port: int
    request: bytes

    def cpu_seconds(self) -> float:
        """CPU time of all threads of the process so far, in seconds."""
        tasks = Path(f"/proc/{self.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9

    def cost(self, calls: int) -> float:
        """CPU time of the server for one call, in seconds."""
        connections = [
            socket.create_connection(("127.0.0.1", self.port)) for _ in range(CONNECTIONS)
        ]
        before = self.cpu_seconds()
        for _ in range(max(1, calls // CONNECTIONS)):
            for connection in connections:
                connection.sendall(self.request)
            for connection in connections:
                assert read_response(connection).startswith(b"HTTP/1.1 200")
        after = self.cpu_seconds()
        for connection in connections:
            connection.close()
        return (after - before) / (max(1, calls // CONNECTIONS) * CONNECTIONS)


def read_response(connection: socket.socket) -> bytes:
    data = connection.recv(65536)
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    got = len(body)
    while got < length:
        got += len(connection.recv(1 << 20))
    return head


def ratio(ours: Side, theirs: Side, calls: int, rounds: int) -> float:
    """Cost of the service divided by the cost of the comparison, each in its best round."""
    for side in (ours, theirs):
        side.cost(calls // 4)
    costs = [(ours.cost(calls), theirs.cost(calls)) for _ in range(rounds)]
    return min(cost for cost, _ in costs) / min(cost for _, cost in costs)


def post(path: str, n_rows: int, **fields: str) -> bytes:
    rows = np.random.default_rng(0).normal(size=(n_rows, 20)).round(4).tolist()
    body = json.dumps({**fields, "X": rows}).encode()
    head = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    return head.encode() + f"content-length: {len(body)}\r\n\r\n".encode() + body


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("speed") / "home"
    rows, labels = two_blobs(n=200, n_features=20)
    with Server(home, access_log="false") as server:
        with server.client() as client:
            body = {"model": "lin", "X": rows, "y": labels, "params": {"kernel": "linear"}}
            assert client.post("/train", json=body).status_code == 201
        yield server


@pytest.fixture(scope="module")
def bare() -> Iterator[tuple[int, int]]:
    """Process id and port of the minimal service used for comparison."""
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "tests.acceptance.bare:app", f"--port={port}"]
    process = subprocess.Popen(
        [*command, "--no-access-log", "--log-level=warning"],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    try:
        transport = httpx.HTTPTransport(retries=10)  # exponential backoff, one minute in total
        with httpx.Client(transport=transport, timeout=60) as client:
            assert client.get(f"http://127.0.0.1:{port}/openapi.json").status_code == 200
        yield process.pid, port
    finally:
        process.terminate()
        process.wait(timeout=20)


def test_one_row_costs_little_more_than_a_constant(ours: Server, bare: tuple[int, int]) -> None:
    """Compare a prediction with all checks, metrics and limits with an empty FastAPI route."""
    mine = Side(ours.pid, ours.port, post("/predict", 1, model="lin"))
    constant = Side(*bare, post("/constant", 1))
    assert ratio(mine, constant, calls=400, rounds=10) < 1.5


def test_ten_thousand_rows_cost_a_fraction_of_an_idiomatic_route(
    ours: Server, bare: tuple[int, int]
) -> None:
    mine = Side(ours.pid, ours.port, post("/predict", 10_000, model="lin"))
    idiomatic = Side(*bare, post("/predict", 10_000))
    assert ratio(mine, idiomatic, calls=8, rounds=3) < 0.2
