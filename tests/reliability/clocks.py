"""E4: the system clock is wrong, or jumps while a training runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import httpx

from tests.app.data import long_search, training
from tests.app.server import Server
from tests.reliability.faultfs import Watched, watch
from tests.reliability.invariants import Ledger
from tests.reliability.over_http import check, train_reference_versions
from tests.reliability.programme import Run, row
from tests.reliability.servers import make_server

HOUR, DAY = 3600, 86_400
#: Long enough that a lease measured with the system clock would expire during the search.
SEARCH_SECONDS = 4.0
#: Offset of the clock in seconds before the start, and while a training runs.
CASES: dict[str, tuple[int, int]] = {
    "one hour forward during training": (0, HOUR),
    "one hour back during training": (0, -HOUR),
    "400 days behind from the start": (-400 * DAY, -400 * DAY),
    "ten years ahead from the start": (3650 * DAY, 3650 * DAY),
    "400 days back during training": (0, -400 * DAY),
    "ten years forward during training": (0, 3650 * DAY),
    "to 1970 during training": (0, -int(time.time()) + DAY),
    "ahead, then back": (HOUR, -HOUR),
}


@row("E4", "system clock that is wrong or jumps during a training", full=8, quick=1)
def clocks(run: Run) -> None:
    """No job is lost or run twice, and versions are numbered in the order of their creation."""
    folder = run.new_folder("watched")
    root = folder / "stores"
    root.mkdir()
    watched = watch(root, folder)
    server = make_server(root / "home", workers=2, lease_timeout=10)
    server.environment = watched.environment
    ledger = Ledger()
    with server:
        train_reference_versions(server, ledger)
    for name, (before, during) in list(CASES.items())[: run.wanted]:
        watched.control.set_clock(before)
        with server, server.client() as client:
            run.add_case(_execute(server, client, watched, ledger, during), name)


def _execute(
    server: Server, client: httpx.Client, watched: Watched, ledger: Ledger, during: int
) -> list[str]:
    headers = {"prefer": "respond-async"}
    body = long_search("long", budget=SEARCH_SECONDS)
    job = client.post("/train", json=body, headers=headers).json()["id"]
    _until(lambda: _state(client, job)["state"] == "running", 60)
    watched.control.set_clock(during)
    first = client.post("/train", json=training("alpha", seed=0))
    _until(lambda: _state(client, job)["state"] in ("succeeded", "failed", "cancelled"), 90)
    ended = _state(client, job)
    found = []
    if ended["state"] != "succeeded":
        found.append(f"I1: the running training is {ended['state']}: {ended['error']}")
    second = client.post("/train", json=training("alpha", seed=1))
    if (first.status_code, second.status_code) != (201, 201):
        return [*found, f"I3: trainings get {first.status_code} and {second.status_code}"]
    for seed, response in enumerate((first, second)):
        ledger.trained["alpha", response.json()["version"]] = seed
    if not first.json()["version"] < second.json()["version"]:
        found.append("I1: the versions are not in order")
    served = client.post("/predict", json={"model": "alpha", "X": [[0.0, 0.0]]}).json()["version"]
    if served != second.json()["version"]:
        found.append(f"I1: version {served} is served, the newest is {second.json()['version']}")
    client.delete("/models/long")
    gone = {("long", n) for n in range(1, 50)}
    ledger.asked_to_delete |= gone
    return found + check(server, ledger)


def _state(client: httpx.Client, job: str) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"/jobs/{job}").json()
    return found


def _until(condition: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)
