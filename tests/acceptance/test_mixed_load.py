"""Two workers and 32 clients that train, predict, promote and delete at the same time."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.app.data import training
from tests.app.server import Server
from tests.reliability.over_http import N_SEEDS, PROBE

CLIENTS = 32
#: A fixed count, not a duration, so that a busy machine takes longer but does the same work.
ACTIONS_PER_CLIENT = 7


@dataclass
class Seen:
    """Observations of all clients."""

    expected: dict[int, bytes] = field(default_factory=dict)
    trained: dict[tuple[str, int], int] = field(default_factory=dict)
    deleted: set[tuple[str, int]] = field(default_factory=set)
    predictions: list[tuple[str, int, bytes]] = field(default_factory=list)
    statuses: Counter[tuple[str, int]] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def response_part(found: httpx.Response) -> bytes:
    """Body without the name and number of the version."""
    return found.content.partition(b'"labels"')[2]


class Client:
    """Client that owns one model: only it promotes or deletes its versions; all predict."""

    def __init__(self, number: int, http: httpx.AsyncClient, seen: Seen) -> None:
        self.model = f"model-{number}"
        self._others = [f"model-{i}" for i in range(CLIENTS)]
        self._chance = random.Random(number)
        self._http = http
        self._seen = seen
        self._mine: list[int] = []
        self._production: int | None = None

    async def run(self) -> None:
        await self.train()
        for _ in range(ACTIONS_PER_CLIENT):
            actions = [self.train, self.predict, self.predict, self.predict_mine, self.promote]
            await self._chance.choice([*actions, self.delete])()

    async def train(self) -> None:
        seed = self._chance.randrange(N_SEEDS)
        found = await self._http.post("/train", json=training(self.model, seed=seed))
        self._seen.statuses["train", found.status_code] += 1
        if found.status_code == 201:
            version = found.json()["version"]
            self._mine.append(version)
            self._seen.trained[self.model, version] = seed
        elif found.status_code == 429:
            await asyncio.sleep(0.2)

    async def predict(self) -> None:
        model = self._chance.choice(self._others)
        found = await self._http.post("/predict", json={"model": model, "X": PROBE})
        self._seen.statuses["predict", found.status_code] += 1
        if found.status_code == 200:
            self._seen.predictions.append((model, found.json()["version"], response_part(found)))

    async def predict_mine(self) -> None:
        """Predict with the own model: no other client changes it, so the version is known."""
        if not self._mine:
            return
        found = await self._http.post("/predict", json={"model": self.model, "X": PROBE})
        self._seen.statuses["predict", found.status_code] += 1
        wanted = self._production or max(self._mine)
        if found.status_code != 200 or found.json()["version"] != wanted:
            self._seen.wrong.append(
                f"{self.model}: Expected version {wanted}, got {found.text[:80]}."
            )
        else:
            self._seen.predictions.append((self.model, wanted, response_part(found)))

    async def promote(self) -> None:
        if not self._mine:
            return
        version = self._chance.choice(self._mine)
        path = f"/models/{self.model}/aliases/production"
        found = await self._http.put(path, json={"version": version})
        self._seen.statuses["promote", found.status_code] += 1
        if found.status_code == 200:
            self._production = version

    async def delete(self) -> None:
        spare = [version for version in self._mine if version != self._production]
        if len(spare) < 2:
            return
        version = self._chance.choice(spare)
        found = await self._http.delete(f"/models/{self.model}/versions/{version}")
        self._seen.statuses["delete", found.status_code] += 1
        if found.status_code == 204:
            self._mine.remove(version)
            self._seen.deleted.add((self.model, version))
            ask = {"model": self.model, "version": version, "X": PROBE}
            gone = await self._http.post("/predict", json=ask)
            if gone.status_code != 404:
                self._seen.wrong.append(
                    f"{self.model}: Version {version} responds after its deletion."
                )


async def load(url: str, seen: Seen) -> None:
    limits = httpx.Limits(max_connections=2 * CLIENTS)
    async with httpx.AsyncClient(base_url=url, timeout=60, limits=limits, verify=False) as http:
        for seed in range(N_SEEDS):
            info = (await http.post("/train", json=training("reference", seed=seed))).json()
            ask = {"model": "reference", "version": info["version"], "X": PROBE}
            seen.expected[seed] = response_part(await http.post("/predict", json=ask))
        clients = [Client(number, http, seen) for number in range(CLIENTS)]
        await asyncio.gather(*(client.run() for client in clients))


def test_mixed_load_gives_no_5xx_no_lost_version_and_no_wrong_prediction(tmp_path: Path) -> None:
    seen = Seen()
    with Server(tmp_path / "home", workers=2, queue_size=64) as server:
        asyncio.run(load(server.url, seen))
        with server.client() as client:
            for (model, version), seed in seen.trained.items():
                ask = {"model": model, "version": version, "X": PROBE}
                found = client.post("/predict", json=ask)
                if (model, version) in seen.deleted:
                    assert found.status_code == 404
                else:
                    assert response_part(found) == seen.expected[seed], f"{model} {version}"
            metrics = client.get("/metrics").text
    assert not [key for key in seen.statuses if key[1] >= 500], seen.statuses
    assert not [key for key in seen.statuses if key[1] not in (200, 201, 204, 404, 429)]
    assert seen.wrong == []
    for model, version, prediction in seen.predictions:
        assert prediction == seen.expected[seen.trained[model, version]]
    # Every kind of call was made often enough, and the metrics are the sum of both workers.
    assert seen.statuses["train", 201] >= CLIENTS
    assert len(seen.predictions) >= 2 * CLIENTS
    assert seen.statuses["promote", 200] >= CLIENTS
    assert seen.statuses["delete", 204] >= 1
    counted = [
        float(line.rsplit(" ", 1)[1])
        for line in metrics.splitlines()
        if line.startswith("frtsvm_trainings_total") and "succeeded" in line
    ]
    assert sum(counted) == len(seen.trained) + N_SEEDS
