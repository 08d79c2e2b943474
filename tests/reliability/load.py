"""Clients that train, predict and delete while faults are injected."""

from __future__ import annotations

import random
import threading
import time

import httpx

from tests.app.data import training
from tests.app.server import Server
from tests.reliability.invariants import Ledger
from tests.reliability.over_http import N_SEEDS, PROBE, response_part

MODELS = ("alpha", "beta")
#: Statuses that a training may get from a server that is being killed.
EXPECTED_FAILURES = (429, 500, 503)


class Load:
    """Clients that train, predict and delete until stopped; the ledger records acknowledgements."""

    def __init__(self, server: Server, ledger: Ledger, seed: int, *, predict: bool = False) -> None:
        self._server = server
        self._ledger = ledger
        self._stop = threading.Event()
        self.violations: list[str] = []
        self.predictions = 0
        targets = [(self._train, seed * 10 + i) for i in range(3)] + [(self._delete, seed)]
        targets += [(self._predict, seed)] if predict else []
        self._threads = [threading.Thread(target=run, args=(chance,)) for run, chance in targets]

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
                elif found.status_code not in EXPECTED_FAILURES:
                    self.violations.append(f"I3: a training gets {found.status_code}")

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

    def _predict(self, seed: int) -> None:
        chance = random.Random(seed)
        whole = set(self._ledger.expected.values())
        with self._server.client() as client:
            while not self._stop.is_set():
                ask = {"model": chance.choice(MODELS), "X": PROBE}
                try:
                    found = client.post("/predict", json=ask)
                except httpx.TransportError:
                    time.sleep(0.05)
                    continue
                self.predictions += 1
                if found.status_code == 200 and response_part(found.content) not in whole:
                    self.violations.append(f"I2: a prediction returns {found.content[:80]!r}")
                elif found.status_code not in (200, 404, 503):
                    self.violations.append(f"I3: a prediction gets {found.status_code}")
