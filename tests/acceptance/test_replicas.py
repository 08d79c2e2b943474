"""Two servers with separate home folders share one PostgreSQL database and one object storage."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import httpx

from tests.app.data import slow_training, training
from tests.app.postgres import Postgres
from tests.app.server import Server
from tests.reliability.over_http import PROBE

ASYNC = {"prefer": "respond-async"}
#: Seconds until the other server uses a change. One is guaranteed; a busy machine may take longer.
FRESH = 3.0


def seconds_until(condition: Callable[[], bool], limit: float) -> float:
    started = time.monotonic()
    while not condition():
        assert time.monotonic() - started < limit
        time.sleep(0.02)
    return time.monotonic() - started


def served(client: httpx.Client) -> int:
    response = client.post("/predict", json={"model": "m", "X": PROBE})
    assert response.status_code == 200, response.text
    version: int = response.json()["version"]
    return version


def test_two_servers_share_database_and_object_storage(
    tmp_path: Path, postgres: Postgres, bucket: str
) -> None:
    common = {
        "database_url": postgres.new_database(),
        "artifacts": bucket,
        "secret_file": tmp_path / "secret",
        "lease_timeout": 3,
    }
    (tmp_path / "secret").write_text("5e" * 32)
    first = Server(tmp_path / "first", **common)
    second = Server(tmp_path / "second", **common)
    first.start(wait=False)  # both start at the same time; one of them creates the tables
    with second, first.client() as here, second.client() as there:
        first.wait_until_ready()
        # The other server serves the trained versions with byte-identical responses.
        for seed in (1, 2):
            assert here.post("/train", json=training("m", seed=seed)).status_code == 201
        seconds_until(lambda: served(there) == 2, FRESH)
        body = {"model": "m", "version": 1, "X": PROBE}
        assert here.post("/predict", json=body).content == there.post("/predict", json=body).content
        # The other server uses a moved alias within a second.
        assert here.put("/models/m/aliases/production", json={"version": 1}).status_code == 200
        assert seconds_until(lambda: served(there) == 1, 10.0) < FRESH
        # Each job runs once, regardless of the server that accepted it.
        jobs = [
            client.post("/train", json=training("n", seed=seed), headers=ASYNC).json()["id"]
            for seed in range(4)
            for client in (here, there)
        ]
        seconds_until(lambda: all(state(there, job) == "succeeded" for job in jobs), 60)
        versions = here.get("/models/n").json()["versions"]
        assert sorted(version["version"] for version in versions) == list(range(1, 9))
        # After a server dies, the other marks its job as interrupted and still works.
        dying = here.post("/train", json=slow_training(), headers=ASYNC).json()["id"]
        also = here.post("/train", json=slow_training(), headers=ASYNC).json()["id"]
        seconds_until(lambda: {state(there, dying), state(there, also)} == {"running"}, 30)
        first.kill()
        seconds_until(lambda: "failed" in (state(there, dying), state(there, also)), 30)
        error = next(
            found["error"]
            for found in (there.get(f"/jobs/{job}").json() for job in (dying, also))
            if found["state"] == "failed"
        )
        assert error["code"] == "interrupted"
        for job in (dying, also):
            there.delete(f"/jobs/{job}")
        assert there.post("/train", json=training("m", seed=3)).status_code == 201
        seconds_until(lambda: processes(postgres, common["database_url"]) == 1, 20)


def state(client: httpx.Client, job: str) -> str:
    found: str = client.get(f"/jobs/{job}").json()["state"]
    return found


def processes(postgres: Postgres, url: object) -> int:
    database = str(url).split("/")[3].split("?")[0]
    found: int = postgres.run_sql("SELECT count(*) FROM processes", database)[0][0]
    return found
