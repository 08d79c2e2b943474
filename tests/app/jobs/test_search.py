"""Search jobs: time budget, keep-best and cancellation."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.app.data import long_search, slow_training, training
from tests.app.server import Server, is_running

ASYNC = {"prefer": "respond-async"}


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Two workers: a cancel request often reaches the process that does not run the job."""
    home = tmp_path_factory.mktemp("pair") / "home"
    with Server(home, workers=2, training_wait=2.0) as server:
        yield server


def until(client: httpx.Client, job: str, ready: Any) -> dict[str, Any]:
    deadline = time.monotonic() + 120  # trainings have low priority, so a busy machine delays them
    while time.monotonic() < deadline:
        info: dict[str, Any] = client.get(f"/jobs/{job}").json()
        if ready(info):
            return info
        time.sleep(0.02)
    raise AssertionError(info)


def tried(info: dict[str, Any]) -> int:
    search = info["progress"]["search"]
    return 0 if search is None else int(search["tried"])


def ended(info: dict[str, Any]) -> bool:
    return info["state"] not in ("queued", "running")


def start(client: httpx.Client, body: dict[str, Any]) -> str:
    response = client.post("/train", json=body, headers=ASYNC)
    assert response.status_code == 202, response.text
    job: str = response.json()["id"]
    return job


def test_keep_best_ends_with_the_best_so_far(pair: Server) -> None:
    with pair.client() as client:
        job = start(client, long_search("kept"))
        before = until(client, job, tried)["progress"]["search"]
        assert before["phase"] == "search"
        assert before["planned"] == 10_000
        assert 0 < before["seconds_left"] < 60
        with pair.client() as other:  # a separate connection, accepted by either worker
            response = other.delete(f"/jobs/{job}?keep=best")
        assert response.status_code in (200, 202)
        assert response.json()["keep_best"]
        info = until(client, job, ended)
        assert info["state"] == "succeeded"
        assert not info["cancel_requested"]
        version = client.get(info["result"]["location"]).json()
        search = version["search"]
        assert search["stopped_early"] == "requested"
        assert 0 < search["n_configurations"] < search["n_planned"] == 10_000
        assert search["best_score"] >= before["best_score"]
        assert version["params"]["gamma"] == search["best_params"]["gamma"]
        found = client.post("/predict", json={"model": "kept", "X": [[2, 0, 0, 0], [-2, 0, 0, 0]]})
        assert found.json()["labels"] == [True, False]
        assert client.delete(f"/jobs/{job}?keep=best").status_code == 409


def test_delete_without_keep_best_publishes_nothing(pair: Server) -> None:
    with pair.client() as client:
        job = start(client, long_search("dropped"))
        until(client, job, tried)
        assert client.delete(f"/jobs/{job}").json()["state"] == "cancelled"
        assert client.get("/models/dropped").status_code == 404


def test_keep_best_cancels_jobs_without_a_best_model(pair: Server) -> None:
    with pair.client() as client:
        running = [start(client, slow_training(f"slow{k}")) for k in range(2)]
        queued = start(client, long_search("queued"))
        for job in running:
            until(client, job, lambda info: info["state"] == "running")
        assert client.delete(f"/jobs/{queued}?keep=best").json()["state"] == "cancelled"
        for job in running:
            client.delete(f"/jobs/{job}?keep=best")
            assert until(client, job, ended)["state"] == "cancelled"
        assert client.delete(f"/jobs/{queued}?keep=worst").status_code == 422


def test_a_search_ends_after_its_time_budget_and_events_report_progress(pair: Server) -> None:
    with pair.client() as client:
        job = start(client, long_search("budget", budget=1.0))
        with client.stream("GET", f"/jobs/{job}/events") as stream:
            lines = [line for line in stream.iter_lines() if line.startswith("data: ")]
        seen = [json.loads(line.removeprefix("data: ")) for line in lines]
        assert seen[-1]["state"] == "succeeded"
        states = [one["progress"]["search"] for one in seen if one["progress"].get("search")]
        assert [one["tried"] for one in states] == sorted(one["tried"] for one in states)
        search = client.get(seen[-1]["result"]["location"]).json()["search"]
        assert search["stopped_early"] == "time_budget"
        assert search["n_configurations"] < search["n_planned"] == 10_000
        assert search["time_budget"] == 1.0


def test_a_training_longer_than_the_wait_returns_the_job(pair: Server) -> None:
    with pair.client() as client:
        began = time.monotonic()
        response = client.post("/train", json=long_search("patient"))
        assert response.status_code == 202
        assert time.monotonic() - began < 60.0  # a very busy machine included
        assert "preference-applied" not in response.headers
        job = response.json()["id"]
        assert response.headers["location"] == f"/jobs/{job}"
        client.delete(f"/jobs/{job}")
        wait = {"prefer": "wait=0"}
        impatient = client.post("/train", json=training("patient"), headers=wait)
        assert impatient.status_code == 202
        assert impatient.headers["preference-applied"] == "wait=0"
        both = {"prefer": "respond-async, wait=2"}
        soon = client.post("/train", json=training("patient"), headers=both)
        assert soon.status_code in (201, 202)


@pytest.mark.slow
def test_sigkill_after_keep_best_publishes_nothing(tmp_path: Any) -> None:
    server = Server(tmp_path / "home")
    server.start()
    with server.client() as client:
        job = start(client, long_search("killed"))
        until(client, job, tried)
        pids = server.pids()
        for pid in pids[1:]:  # the training is stopped, but the request is recorded
            os.kill(pid, signal.SIGSTOP)
        assert client.delete(f"/jobs/{job}?keep=best").status_code == 202
    server.kill()
    assert not any(map(is_running, pids))
    with server, server.client() as client:
        info = until(client, job, ended)
        assert info["state"] == "failed"
        assert info["error"]["code"] == "interrupted"
        assert client.get("/models/killed").status_code == 404
