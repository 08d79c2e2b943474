"""Jobs over HTTP."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.app.data import slow_training, training
from tests.app.server import Server, children_of, is_running

ASYNC = {"prefer": "respond-async"}


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with a queue of two."""
    home = tmp_path_factory.mktemp("busy") / "home"
    with Server(home, queue_size=2, training_memory=2 * 1024**3) as server:
        yield server


def wait_for(client: httpx.Client, job: str, *states: str) -> dict[str, Any]:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        info: dict[str, Any] = client.get(f"/jobs/{job}").json()
        if info["state"] in states:
            return info
        time.sleep(0.02)
    raise AssertionError(f"job is {info}")


def test_a_job_runs_and_names_its_version(client: httpx.Client) -> None:
    job = client.post("/train", json=training("jobs"), headers=ASYNC).json()["id"]
    info = wait_for(client, job, "succeeded")
    assert info["progress"]["percent"] == 100
    assert client.get(info["result"]["location"]).json()["job"] == job
    assert info["error"] is None
    listed = client.get("/jobs?limit=1000&state=succeeded").json()
    assert job in [item["id"] for item in listed["items"]]
    late = client.delete(f"/jobs/{job}")
    assert late.status_code == 409
    assert late.json()["type"] == "urn:frtsvm:problem:job-finished"


def test_events_report_progress_and_end(client: httpx.Client) -> None:
    body = training("events", n=400, validation={"folds": 5})
    job = client.post("/train", json=body, headers=ASYNC).json()["id"]
    events = []
    with client.stream("GET", f"/jobs/{job}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        name = ""
        for line in stream.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            if line.startswith("data: "):
                events.append((name, json.loads(line.removeprefix("data: "))))
    assert events[-1][0] == "end"
    assert events[-1][1]["state"] == "succeeded"
    percents = [event["progress"]["percent"] for _, event in events]
    assert percents == sorted(percents)


@pytest.mark.timed
def test_cancelling_a_running_job_is_fast_and_removes_its_files(busy: Server) -> None:
    with busy.client() as client:
        job = client.post("/train", json=slow_training(), headers=ASYNC).json()["id"]
        info = wait_for(client, job, "running")
        deadline = time.monotonic() + 20
        while info["progress"].get("sweep") is None and time.monotonic() < deadline:
            info = client.get(f"/jobs/{job}").json()
            time.sleep(0.02)
        assert info["progress"]["gap"] > 0
        before = set(children_of(busy.pid))
        started = time.monotonic()
        answer = client.delete(f"/jobs/{job}")
        assert time.monotonic() - started < 1
        assert (answer.status_code, answer.json()["state"]) == (200, "cancelled")
        gone = [pid for pid in before if not is_running(pid)]
        assert len(gone) == 1  # the training process
        assert client.get("/models/slow").status_code == 404
        assert list((busy.home / "spool").iterdir()) == []
        assert list((busy.home / "tmp").iterdir()) == []
        again = client.delete(f"/jobs/{job}")  # cancelling twice is not an error
        assert again.json()["state"] == "cancelled"


def test_a_full_queue_is_429_and_a_cancelled_job_makes_room(busy: Server) -> None:
    with busy.client() as client:
        running = client.post("/train", json=slow_training(), headers=ASYNC).json()["id"]
        wait_for(client, running, "running")
        queued = [
            client.post("/train", json=training("queued"), headers=ASYNC).json()["id"]
            for _ in range(2)
        ]
        refused = client.post("/train", json=training("refused"), headers=ASYNC)
        assert refused.status_code == 429
        assert refused.json()["type"] == "urn:frtsvm:problem:queue-full"
        assert int(refused.headers["retry-after"]) >= 1
        assert refused.json()["queue_size"] == 2
        assert client.delete(f"/jobs/{queued[0]}").json()["state"] == "cancelled"
        third = client.post("/train", json=training("queued"), headers=ASYNC)
        assert third.status_code == 202
        client.delete(f"/jobs/{running}")
        assert wait_for(client, queued[1], "succeeded")["result"]["version"] == 1
        assert wait_for(client, third.json()["id"], "succeeded")["result"]["version"] == 2


@pytest.mark.timed
def test_predictions_go_on_while_a_training_runs(busy: Server) -> None:
    with busy.client() as client:
        client.post("/train", json=training("meanwhile"))
        job = client.post("/train", json=slow_training(), headers=ASYNC).json()["id"]
        wait_for(client, job, "running")
        times = []
        for _ in range(50):
            answer = client.post("/predict", json={"model": "meanwhile", "X": [[0, 0]]})
            assert answer.status_code == 200
            times.append(answer.elapsed.total_seconds())
        client.delete(f"/jobs/{job}")
        assert sorted(times)[len(times) // 2] < 0.1


def test_too_much_memory_is_413_with_the_numbers(busy: Server) -> None:
    with busy.client() as client:
        rows = [[float(i)] for i in range(20_000)]
        labels = [i % 2 for i in range(20_000)]
        body = {"model": "big", "X": rows, "y": labels, "params": {"rank": None}}
        answer = client.post("/train", json=body)
        assert answer.status_code == 413
        problem = answer.json()
        assert problem["type"] == "urn:frtsvm:problem:memory-budget-exceeded"
        assert problem["estimated_bytes"] > problem["allowed_bytes"] == 2 * 1024**3


def test_a_cancelled_job_ends_the_waiting_request(busy: Server) -> None:
    with busy.client() as client, busy.client() as other:
        answers: list[httpx.Response] = []
        waiting = threading.Thread(
            target=lambda: answers.append(client.post("/train", json=slow_training("waiting")))
        )
        waiting.start()
        deadline = time.monotonic() + 20
        running: list[dict[str, Any]] = []
        while not running and time.monotonic() < deadline:
            running = other.get("/jobs?state=running").json()["items"]
        other.delete(f"/jobs/{running[0]['id']}")
        waiting.join(timeout=20)
    assert answers[0].status_code == 409
    assert answers[0].json()["type"] == "urn:frtsvm:problem:training-cancelled"
