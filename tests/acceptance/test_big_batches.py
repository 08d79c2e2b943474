"""A very large batch of one client does not delay the requests of other clients."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator

import httpx
import numpy as np
import pytest

from tests.app.data import two_blobs
from tests.app.server import Server

MIB = 1024**2


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Server that accepts bodies of 100 MB, with a linear model of 20 features."""
    home = tmp_path_factory.mktemp("wide") / "home"
    rows, labels = two_blobs(n=200, n_features=20)
    with Server(home, max_body_bytes=160 * MIB, access_log="false") as server:
        with server.client() as client:
            body = {"model": "lin", "X": rows, "y": labels, "params": {"kernel": "linear"}}
            assert client.post("/train", json=body).status_code == 201
        yield server


def batch_of(n_bytes: int) -> tuple[bytes, int]:
    """Request body of about `n_bytes` bytes, and its number of rows."""
    rows = np.random.default_rng(0).normal(size=(1000, 20))
    some = json.dumps(rows.tolist())[1:-1]
    times = n_bytes // len(some)
    text = ",".join([some] * times)
    return f'{{"model": "lin", "X": [{text}]}}'.encode(), 1000 * times


@pytest.mark.timed
def test_one_row_calls_do_not_wait_for_100_megabytes(wide: Server) -> None:
    """If the batch were computed in the event loop, it would delay one small call by nearly a third
    of its duration."""
    big, n_rows = batch_of(100 * 10**6)
    shares = []
    for _ in range(3):  # other processes may use the machine
        seconds, waits = one_row_calls_beside(wide, big, n_rows)
        shares.append(max(waits) / seconds)
        if shares[-1] < 0.15:
            return
    pytest.fail(f"A small call waited for {min(shares):.0%} of the duration of the batch.")


def one_row_calls_beside(server: Server, big: bytes, n_rows: int) -> tuple[float, list[float]]:
    """Duration of the batch, and of each small call during it, in seconds."""
    one = json.dumps({"model": "lin", "X": [[0.5] * 20]}).encode()
    took: list[float] = []

    def send_big() -> None:
        with server.client() as client:
            took.append(seconds_of(client, big, n_rows))

    waits: list[float] = []
    with server.client() as client:
        seconds_of(client, one, 1)
        sender = threading.Thread(target=send_big)
        sender.start()
        while sender.is_alive():
            waits.append(seconds_of(client, one, 1))
            time.sleep(0.002)
        sender.join()
    assert len(waits) > 20
    return took[0], waits


def seconds_of(client: httpx.Client, body: bytes, n_rows: int) -> float:
    """Duration of one call in seconds; the response must contain `n_rows` labels."""
    started = time.monotonic()
    response = client.post("/predict", content=body, headers={"content-type": "application/json"})
    seconds = time.monotonic() - started
    assert response.content.count(b'"yes"') + response.content.count(b'"no"') == n_rows
    return seconds
