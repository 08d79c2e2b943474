"""Kills processes of a server under load and checks what is left.

Clients train and delete. What a server acknowledged must hold after any crash:

    trained   201 -> the version is there and predicts what its data must give, to the byte
    deleted   204 -> the version is gone
    asked     no answer -> the version is there and whole, or not there at all
"""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.app.data import training
from tests.app.server import Server, children_of

N_SEEDS = 4
PROBE = [[-2.0, -2.0], [0.1, -0.3], [2.0, 2.5], [0.0, 0.0]]
MODELS = ("alpha", "beta")


def answer_bytes(client: httpx.Client, model: str, version: int) -> bytes | int:
    """What a version answers, without its name and number; the status if it does not."""
    found = client.post("/predict", json={"model": model, "version": version, "X": PROBE})
    return (
        found.content.partition(b'"labels"')[2] if found.status_code == 200 else found.status_code
    )


@dataclass
class Ledger:
    """What the server has acknowledged."""

    expected: dict[int, bytes] = field(default_factory=dict)
    """Seed of the data -> answer."""
    trained: dict[tuple[str, int], int] = field(default_factory=dict)
    asked_to_delete: set[tuple[str, int]] = field(default_factory=set)
    deleted: set[tuple[str, int]] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Load:
    """Clients that train and delete until told to stop."""

    def __init__(self, server: Server, ledger: Ledger, seed: int) -> None:
        self._server = server
        self._ledger = ledger
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._train, args=(seed * 10 + i,)) for i in range(3)
        ] + [threading.Thread(target=self._delete, args=(seed,))]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(timeout=60)

    def _train(self, seed: int) -> None:
        chance = random.Random(seed)
        with self._server.client() as client:
            while not self._stop.is_set():
                data_seed, model = chance.randrange(N_SEEDS), chance.choice(MODELS)
                try:
                    found = client.post("/train", json=training(model, seed=data_seed))
                except httpx.TransportError:
                    time.sleep(0.05)
                    continue
                if found.status_code == 201:
                    with self._ledger.lock:
                        self._ledger.trained[model, found.json()["version"]] = data_seed
                else:  # a killed job, a full queue: said so, not lost
                    assert found.status_code in (429, 500, 503), found.text

    def _delete(self, seed: int) -> None:
        chance = random.Random(seed)
        with self._server.client() as client:
            while not self._stop.is_set():
                with self._ledger.lock:
                    left = sorted(self._ledger.trained.keys() - self._ledger.asked_to_delete)
                    target = chance.choice(left) if len(left) > 4 else None
                    if target:
                        self._ledger.asked_to_delete.add(target)
                if target:
                    try:
                        found = client.delete("/models/{}/versions/{}".format(*target))
                    except httpx.TransportError:
                        continue
                    if found.status_code == 204:
                        with self._ledger.lock:
                            self._ledger.deleted.add(target)
                time.sleep(0.05)


def learn(server: Server, ledger: Ledger) -> None:
    """Train each data set once and note what its model answers."""
    with server.client() as client:
        for seed in range(N_SEEDS):
            found = client.post("/train", json=training("alpha", seed=seed))
            assert found.status_code == 201, found.text
            version = found.json()["version"]
            ledger.trained["alpha", version] = seed
            answer = answer_bytes(client, "alpha", version)
            deadline = time.monotonic() + 5
            while not isinstance(answer, bytes) and time.monotonic() < deadline:
                time.sleep(0.05)  # a naive store writes later
                answer = answer_bytes(client, "alpha", version)
            assert isinstance(answer, bytes)
            ledger.expected[seed] = answer


def violations(server: Server, ledger: Ledger) -> list[str]:
    """Everything that contradicts what was acknowledged."""
    found: list[str] = []
    whole = set(ledger.expected.values())
    with server.client() as client:
        listed: set[tuple[str, int]] = set()
        for model in MODELS:
            info = client.get(f"/models/{model}?limit=1000")
            if info.status_code == 200:
                listed |= {(model, item["version"]) for item in info.json()["versions"]}
        for key in sorted(listed | ledger.trained.keys()):
            answer = answer_bytes(client, *key)
            evidence = client.get("/models/{}/versions/{}/memberships?limit=1".format(*key))
            if key in ledger.deleted:
                if answer != 404 or key in listed:
                    found.append(f"{key} was deleted and answers {answer!r}")
            elif key in ledger.asked_to_delete and answer == 404:
                continue
            elif answer not in whole or evidence.status_code != 200:
                found.append(f"{key} is half there: {answer!r}, {evidence.status_code}")
            elif key in ledger.trained and answer != ledger.expected[ledger.trained[key]]:
                found.append(f"{key} answers as another version")
        jobs = client.get("/jobs?limit=1000").json()["items"]
        published = {(j["model"], j["result"]["version"]) for j in jobs if j["result"]}
        gone = ledger.asked_to_delete
        found += [f"{key} has no job that made it" for key in listed - published - gone]
    return found


def settle(server: Server) -> None:
    """Wait until every job has ended."""
    deadline = time.monotonic() + 30
    with server.client() as client:
        while time.monotonic() < deadline:
            jobs = client.get("/jobs?limit=1000").json()["items"]
            if all(job["state"] in ("succeeded", "failed", "cancelled") for job in jobs):
                return
            time.sleep(0.1)
    raise AssertionError(f"jobs without an end: {jobs}")


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def victims(server: Server, kind: str) -> list[int]:
    """The processes to kill: one worker, the trainings, or the processes they are forked from."""
    family = children_of(server.pid)
    if kind == "worker":
        return [pid for pid in family if "spawn_main" in _command(pid)][:1]
    forks = {pid for pid in family if "forkserver" in _command(pid)}
    trainings = {pid for pid in forks if _parent(pid) in forks}
    return sorted(trainings if kind == "trainings" else forks - trainings)


def crash(server: Server, kind: str) -> None:
    """`kill -9`, and start again what does not start itself."""
    if kind == "server":
        server.kill()
        server.start()
        return
    chosen: list[int] = []
    deadline = time.monotonic() + 10
    while not chosen:  # a training lives for some hundredths of a second
        assert time.monotonic() < deadline, f"nothing to kill: {kind}"
        chosen = victims(server, kind)
    for pid in chosen:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    time.sleep(0.7)
    server.wait_until_ready()
