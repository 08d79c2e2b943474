"""Liveness, readiness, metrics, request ids, log and shutdown."""

from __future__ import annotations

import json
import signal
import threading
import time
from pathlib import Path

import httpx

from app.errors import StoreUnavailable
from app.observability.metrics import Metrics
from tests.app.data import slow_training, training
from tests.app.server import Server

#: Exit codes: uvicorn shuts down in order and then raises the signal that it received again.
STOPPED = (0, -signal.SIGTERM)


def test_alive_and_ready(client: httpx.Client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ready"}
    assert client.get("/readyz/predictions").json() == {"status": "ready"}


def test_metrics_count(client: httpx.Client) -> None:
    client.post("/train", json=training("metrics"))
    client.post("/predict", json={"model": "metrics", "X": [[0, 0]] * 7})
    text = client.get("/metrics").text
    for name in (
        'frtsvm_requests_total{method="POST",route="/predict",status="200"}',
        'frtsvm_request_seconds_bucket{le="0.005",method="POST",route="/predict"}',
        "frtsvm_rows_predicted_total",
        'frtsvm_trainings_total{outcome="succeeded"}',
        'frtsvm_jobs{state="queued"} 0.0',
        'frtsvm_model_cache_total{event="miss"}',
        "frtsvm_model_cache_models",
        "frtsvm_model_cache_bytes",
        "frtsvm_store_up 1.0",
    ):
        assert name in text
    client.get("/made/up/path")
    assert "/made/up" not in client.get("/metrics").text


def test_metrics_without_a_database() -> None:
    def unavailable() -> dict[str, int]:
        raise StoreUnavailable("The database cannot be reached.")

    text = Metrics().render(unavailable).decode()
    assert "frtsvm_store_up 0.0" in text
    assert "frtsvm_request_seconds" in text
    assert "frtsvm_jobs{" not in text


def test_request_ids(client: httpx.Client) -> None:
    kept = client.get("/healthz", headers={"x-request-id": "my-id.1"})
    assert kept.headers["x-request-id"] == "my-id.1"
    for bad in ("a b", "x" * 65, 'quote"'):
        made = client.get("/healthz", headers={"x-request-id": bad}).headers["x-request-id"]
        assert len(made) == 16


def test_the_log_is_json_with_ids(client: httpx.Client, server: Server) -> None:
    client.get("/models/a%0Ab", headers={"x-request-id": "find-me"})
    mine: list[dict[str, object]] = []
    deadline = time.monotonic() + 10
    while not mine and time.monotonic() < deadline:  # written after the response
        complete, _, _ = server.log.read_text().rpartition("\n")
        lines = [json.loads(line) for line in complete.splitlines()]
        mine = [line for line in lines if line.get("request_id") == "find-me"]
    assert mine[-1]["message"] == "request"
    assert mine[-1]["path"] == "/models/a\nb"


def test_not_ready_when_the_store_cannot_be_written(tmp_path: Path) -> None:
    with Server(tmp_path / "home") as server, server.client() as client:
        folder = server.home / "tmp"
        folder.rename(server.home / "tmp-moved")
        answer = client.get("/readyz")
        assert answer.status_code == 503
        assert answer.json()["type"] == "urn:frtsvm:problem:store-unavailable"
        assert client.get("/readyz/predictions").status_code == 200
        (server.home / "tmp-moved").rename(folder)
        assert client.get("/readyz").status_code == 200


def test_stopping_finishes_requests_in_flight(tmp_path: Path) -> None:
    server = Server(tmp_path / "home")
    server.start()
    answers: list[httpx.Response] = []

    def train() -> None:
        with server.client() as client:
            body = training("in-flight", n=400, validation={"folds": 10})
            answers.append(client.post("/train", json=body))

    with server.client() as client:
        client.post("/train", json=training("first"))
        waiting = threading.Thread(target=train)
        waiting.start()
        deadline = time.monotonic() + 20
        while not client.get("/jobs?state=running").json()["items"]:
            assert time.monotonic() < deadline
    assert server.stop() in STOPPED
    waiting.join(timeout=30)
    assert answers[0].status_code == 201


def test_an_event_stream_does_not_delay_the_shutdown(tmp_path: Path) -> None:
    server = Server(tmp_path / "home", shutdown_grace=1)
    server.start()
    with server.client() as client:
        headers = {"prefer": "respond-async"}
        job = client.post("/train", json=slow_training(), headers=headers).json()["id"]
        with client.stream("GET", f"/jobs/{job}/events") as stream:
            next(stream.iter_lines())
            started = time.monotonic()
            assert server.stop() in STOPPED
            assert time.monotonic() - started < 60  # otherwise it would never stop


def test_no_cross_origin_headers(client: httpx.Client) -> None:
    answer = client.get("/models", headers={"origin": "http://evil.example"})
    assert answer.status_code == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert client.options("/models", headers={"origin": "http://evil.example"}).status_code == 405
