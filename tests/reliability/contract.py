"""A1: schemathesis with all its checks on the OpenAPI document, against a real server."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from app.schemas.keys import hash_key
from tests.app.data import training
from tests.app.server import Server
from tests.reliability.programme import Run, row
from tests.reliability.servers import make_server

KEY = "a-key-for-schemathesis"
CONFIG = Path(__file__).with_name("schemathesis.toml")
SEED = 20240
#: Examples per operation, in a full run (True) and in `make test` (False).
EXAMPLES = {True: 200, False: 8}


@row("A1", "schemathesis, all phases and checks; a case is a seed", full=5, quick=1, part=1)
def contract(run: Run) -> None:
    """No 5xx or undocumented status, invalid requests refused, all responses match their schema."""
    keys = f"tests:admin:{hash_key(KEY.encode())}"
    # Some of the generated trainings are searches; keep them short.
    limits = {"search_seconds": 0.3, "max_search_seconds": 1.0, "max_search_configurations": 200}
    full = run.folder.name.startswith("frtsvm-")
    with make_server(run.new_folder("home"), api_keys=keys, **limits) as server:
        n_operations = _prepare(server)
        command = [
            str(Path(sys.executable).with_name("st")),
            f"--config-file={CONFIG}",
            "run",
            f"{server.url}/openapi.json",
            "--checks=all",
            f"--max-examples={EXAMPLES[full]}",
            f"--header=Authorization: Bearer {KEY}",
            f"--seed={SEED + run.seed}",
            "--request-timeout=60",
            "--no-color",
        ]
        done = subprocess.run(
            command, cwd=run.folder, capture_output=True, text=True, check=False, timeout=3000
        )
        with server.client() as client:
            ready = client.get("/readyz").status_code == 200
    found = [] if done.returncode == 0 else [done.stdout[-6000:] + done.stderr[-2000:]]
    if not re.search(rf"Tested: +{n_operations}\b", done.stdout):
        found.append("I3: some operations were not tested")
    if not ready:
        found.append("I3: the server is not ready afterwards")
    cases = re.search(r"(\d[\d,]*) generated", done.stdout)
    if cases:
        run.count("requests", int(cases[1].replace(",", "")))
    run.add_case(found, f"seed {SEED + run.seed}")


def _prepare(server: Server) -> int:
    """Train some models; return the number of operations in the OpenAPI document."""
    with server.client(headers={"authorization": f"Bearer {KEY}"}) as client:
        for seed in range(3):
            assert client.post("/train", json=training(seed=seed)).status_code == 201
        search = {"grid": {"c1": [0.5, 2], "c3": [1, 4]}, "probability": "sigmoid"}
        assert client.post("/train", json=training(search=search)).status_code == 201
        paths = client.get("/openapi.json").json()["paths"]
    return sum(map(len, paths.values()))
