"""The service survives a restart of PostgreSQL under load."""

from __future__ import annotations

import threading
import time
from collections import Counter
from pathlib import Path

import httpx
import pytest

from tests.app.data import slow_training, training
from tests.app.postgres import Postgres
from tests.app.server import Server
from tests.reliability.over_http import PROBE


class Predictions:
    """Client that sends predictions without pause until it is stopped."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.statuses: Counter[int] = Counter()

    def _run(self) -> None:
        with self._server.client() as client:
            while not self._stop.is_set():
                found = client.post("/predict", json={"model": "m", "X": PROBE})
                self.statuses[found.status_code] += 1

    def __enter__(self) -> Predictions:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()


def warm(client: httpx.Client) -> None:
    """Send predictions on new connections, so that both workers load the model."""
    for _ in range(40):
        with httpx.Client(base_url=client.base_url, timeout=30) as fresh:
            assert fresh.post("/predict", json={"model": "m", "X": PROBE}).status_code == 200


@pytest.mark.slow
def test_the_service_survives_a_restart_of_the_database(tmp_path: Path) -> None:
    with (
        Postgres() as postgres,
        Server(tmp_path / "home", workers=2, database_url=postgres.new_database()) as server,
        server.client() as client,
    ):
        # PostgreSQL does not allow NUL in text, so such a label is stored escaped.
        body = training("m")
        body["y"] = [f"{label}\0" for label in body["y"]]
        assert client.post("/train", json=body).status_code == 201
        warm(client)
        headers = {"prefer": "respond-async"}
        running = slow_training(n=400)
        running["validation"] = {"folds": 5}
        job = client.post("/train", json=running, headers=headers).json()["id"]
        with Predictions(server) as predictions:
            postgres.stop()
            for method, path in (("GET", "/models"), ("GET", f"/jobs/{job}"), ("GET", "/readyz")):
                found = client.request(method, path)
                assert found.status_code == 503
                assert found.headers["retry-after"]
                assert found.json()["type"] == "urn:frtsvm:problem:store-unavailable"
                assert str(postgres.folder) not in found.text
            refused = client.post("/train", json=training("n"))
            assert refused.status_code == 503
            for path in ("/healthz", "/readyz/predictions", "/metrics"):
                assert client.get(path).status_code == 200
            time.sleep(1.5)
            postgres.start()
            server.wait_until_ready()
            assert client.post("/train", json=training("n")).status_code == 201
            deadline = time.monotonic() + 60
            while (state := client.get(f"/jobs/{job}").json()["state"]) != "succeeded":
                assert state in ("queued", "running")
                assert time.monotonic() < deadline
                time.sleep(0.1)
        # Clients that only predict with a loaded model have not noticed the restart.
        assert predictions.statuses.keys() == {200}
        assert client.get("/models/m").json()["versions"][0]["classes"] == ["no\0", "yes\0"]
