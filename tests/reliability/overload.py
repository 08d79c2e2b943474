"""D3, D4, E1: cancellation, a full queue, and simultaneous trainings of one model."""

from __future__ import annotations

import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from tests.app.data import long_search, training
from tests.app.server import Server, children_of, is_running
from tests.reliability.invariants import ENDED, Ledger
from tests.reliability.load import Load
from tests.reliability.over_http import (
    N_SEEDS,
    PROBE,
    check,
    response_part,
    train_reference_versions,
)
from tests.reliability.programme import Run, row
from tests.reliability.servers import make_server

ASYNC = {"prefer": "respond-async"}
#: Seconds until a cancelled job must have ended. One is guaranteed; a busy machine may take longer.
CANCEL_SECONDS = 5.0
QUEUE = 32


@row("D3", "cancellation while queued, while running, and at the end", full=100, quick=10)
def cancellations(run: Run) -> None:
    """The job ends soon, leaves no process, and publishes nothing after `cancelled`."""
    chance = random.Random(run.seed)
    ledger = Ledger()
    server = make_server(run.new_folder("home"), job_history=100_000)
    with server, server.client() as client:
        train_reference_versions(server, ledger)
        for number in range(run.wanted):
            kind = ("running", "queued", "finishing")[number % 3]
            run.add_case(_cancel(server, client, ledger, kind, chance), f"{number}: {kind}")
        run.add_violations(*check(server, ledger))


def _cancel(
    server: Server, client: httpx.Client, ledger: Ledger, kind: str, chance: random.Random
) -> list[str]:
    blocker = ""
    if kind == "queued":  # occupy the training slot
        blocker = _submit(client, long_search("long", budget=600))
        _wait_for(client, blocker, ("running",))
    seed = chance.randrange(N_SEEDS)
    finishing = kind == "finishing"
    job = _submit(
        client, training("alpha", seed=seed) if finishing else long_search("long", budget=600)
    )
    if kind == "running":
        _wait_for(client, job, ("running",))
    elif finishing:
        time.sleep(chance.uniform(0.0, 0.3))
    asked = client.delete(f"/jobs/{job}")
    began = time.monotonic()
    found = [] if asked.status_code < 500 else [f"I3: the cancellation gets {asked.status_code}"]
    ended = _wait_for(client, job, ENDED)
    if time.monotonic() - began > CANCEL_SECONDS:
        found.append(f"I4: the job ended only after {time.monotonic() - began:.1f} s")
    if ended["state"] == "cancelled":
        ledger.cancelled.add(job)
    elif finishing and ended["state"] == "succeeded":
        ledger.trained["alpha", ended["result"]["version"]] = seed
    else:
        found.append(f"I4: the job is {ended['state']}")
    if blocker:
        client.delete(f"/jobs/{blocker}")
        _wait_for(client, blocker, ENDED)
        ledger.cancelled.add(blocker)
    return found + _trainings_left(server)


def _trainings_left(server: Server) -> list[str]:
    """Wait until no training process exists; report a violation otherwise."""
    deadline = time.monotonic() + CANCEL_SECONDS
    while True:
        forks = [pid for pid in server.pids() if _is_fork_server(pid)]
        left = [child for pid in forks for child in children_of(pid) if is_running(child)]
        if not left:
            return []
        if time.monotonic() > deadline:
            return [f"I4: training processes {left} still run"]
        time.sleep(0.05)


def _is_fork_server(pid: int) -> bool:
    from pathlib import Path

    try:
        return b"forkserver" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _submit(client: httpx.Client, body: dict[str, Any]) -> str:
    found = client.post("/train", json=body, headers=ASYNC)
    assert found.status_code == 202, found.text
    job: str = found.json()["id"]
    return job


def _wait_for(client: httpx.Client, job: str, states: tuple[str, ...]) -> dict[str, Any]:
    deadline = time.monotonic() + 60
    while True:
        found: dict[str, Any] = client.get(f"/jobs/{job}").json()
        if found["state"] in states:
            return found
        assert time.monotonic() < deadline, found
        time.sleep(0.02)


@row("D4", "200 simultaneous trainings, queue for 32", full=5, quick=1)
def too_many_trainings(run: Run) -> None:
    """The queue accepts 32 trainings, the others get 429 with Retry-After, and none is lost."""
    ledger = Ledger()
    server = make_server(run.new_folder("home"), queue_size=QUEUE, job_history=100_000)
    with server, server.client() as client:
        train_reference_versions(server, ledger)
        for number in range(run.wanted):
            blocker = _submit(client, long_search("long", budget=600))
            _wait_for(client, blocker, ("running",))
            with ThreadPoolExecutor(32) as pool:
                responses = list(
                    pool.map(lambda n: _submit_training(server, n % N_SEEDS), range(200))
                )
            statuses = Counter(response.status_code for response in responses)
            found = []
            if statuses != {202: QUEUE, 429: 200 - QUEUE}:
                found.append(f"I3: the trainings get {dict(statuses)}")
            if any("retry-after" not in a.headers for a in responses if a.status_code == 429):
                found.append("I3: 429 without Retry-After")
            ledger.queued |= {a.json()["id"] for a in responses if a.status_code == 202}
            predicted = client.post("/predict", json={"model": "alpha", "X": PROBE})
            if predicted.status_code != 200:
                found.append(f"I3: a prediction gets {predicted.status_code}")
            client.delete(f"/jobs/{blocker}")
            ledger.cancelled.add(blocker)
            for response in responses:
                if response.status_code == 202:
                    ended = _wait_for(client, response.json()["id"], ENDED)
                    if ended["state"] != "succeeded":
                        found.append(f"I1: an accepted training is {ended['state']}")
            run.add_case(found + check(server, ledger), f"wave {number}")


def _submit_training(server: Server, seed: int) -> httpx.Response:
    with server.client() as client:
        return client.post("/train", json=training("alpha", seed=seed), headers=ASYNC)


@row("E1", "30 simultaneous trainings of one model, with predictions", full=20, quick=2)
def trainings_of_one_name(run: Run) -> None:
    """Each version number is used once, without gaps; predictions always use a complete version."""
    ledger = Ledger()
    server = make_server(run.new_folder("home"), workers=2, queue_size=64, job_history=100_000)
    with server:
        train_reference_versions(server, ledger)
        for number in range(run.wanted):
            # Predictions only: other trainings and deletions would change the version numbers.
            load = _Predictions(server, ledger)
            load.start()
            with ThreadPoolExecutor(30) as pool:
                responses = list(pool.map(lambda n: _train(server, n % N_SEEDS), range(30)))
            load.stop()
            found = [
                f"I3: a training gets {a.status_code}" for a, _ in responses if a.status_code != 201
            ]
            versions = sorted(a.json()["version"] for a, _ in responses if a.status_code == 201)
            first = max(v for m, v in ledger.trained if m == "alpha") + 1
            if versions != list(range(first, first + len(versions))):
                found.append(f"I1: version numbers {versions[:5]}... after {first - 1}")
            for response, seed in responses:
                if response.status_code == 201:
                    ledger.trained["alpha", response.json()["version"]] = seed
            run.count("predictions", load.predictions)
            run.add_case(found + load.violations + check(server, ledger), f"wave {number}")


def _train(server: Server, seed: int) -> tuple[httpx.Response, int]:
    with server.client() as client:
        return client.post("/train", json=training("alpha", seed=seed)), seed


class _Predictions(Load):
    """Load that consists of predictions only; at least one version always exists."""

    def __init__(self, server: Server, ledger: Ledger) -> None:
        super().__init__(server, ledger, 0, predict=True)
        self._threads = self._threads[-1:]

    def _predict(self, seed: int) -> None:
        whole = set(self._ledger.expected.values())
        with self._server.client() as client:
            while not self._stop.is_set():
                found = client.post("/predict", json={"model": "alpha", "X": PROBE})
                self.predictions += 1
                if found.status_code != 200 or response_part(found.content) not in whole:
                    self.violations.append(
                        f"I2: a prediction gets {found.status_code} or a wrong body"
                    )
