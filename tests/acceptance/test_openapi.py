"""schemathesis over the OpenAPI document, with all its checks, against a real server."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from app.schemas.keys import hash_key
from tests.app.data import training
from tests.app.server import Server

KEY = "a-key-for-schemathesis"
CONFIG = Path(__file__).with_name("schemathesis.toml")
EXAMPLES = 25


def test_the_service_is_what_its_document_says(tmp_path: Path) -> None:
    keys = f"tests:admin:{hash_key(KEY.encode())}"
    # Some of the trainings that it makes up are searches: let them be short.
    limits = {"search_seconds": 0.3, "max_search_seconds": 1.0, "max_search_configurations": 200}
    with Server(tmp_path / "home", api_keys=keys, **limits) as server:
        headers = {"authorization": f"Bearer {KEY}"}
        with server.client(headers=headers) as client:
            for seed in range(3):
                assert client.post("/train", json=training(seed=seed)).status_code == 201
            search = {"grid": {"c1": [0.5, 2], "c3": [1, 4]}, "probability": "sigmoid"}
            assert client.post("/train", json=training(search=search)).status_code == 201
            paths = client.get("/openapi.json").json()["paths"]
        command = [
            str(Path(sys.executable).with_name("st")),
            f"--config-file={CONFIG}",
            "run",
            f"{server.url}/openapi.json",
            "--checks=all",
            f"--max-examples={EXAMPLES}",
            f"--header=Authorization: Bearer {KEY}",
            "--seed=20240",
            "--request-timeout=60",
            "--no-color",
        ]
        found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=280)
        with server.client() as client:
            assert client.get("/readyz").status_code == 200
    assert found.returncode == 0, found.stdout[-6000:] + found.stderr[-2000:]
    n_operations = sum(map(len, paths.values()))
    assert re.search(rf"Tested: +{n_operations}\b", found.stdout)  # none was skipped
