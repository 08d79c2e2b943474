"""A backup taken under load, restored elsewhere, returns byte-identical predictions."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.app.server import FRTSVM, Server
from tests.reliability.invariants import Ledger
from tests.reliability.load import Load
from tests.reliability.over_http import response_bytes, train_reference_versions


def frtsvm(home: Path, *arguments: str) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("FRTSVM_")}
    done = subprocess.run(
        [FRTSVM, "--home", home, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_backup_under_load_predicts_the_same(tmp_path: Path) -> None:
    ledger = Ledger()
    with Server(tmp_path / "home", workers=1, shutdown_grace=1) as server:
        train_reference_versions(server, ledger)
        acknowledged = dict(ledger.trained)
        load = Load(server, ledger, seed=1)
        load.start()
        try:
            frtsvm(tmp_path / "home", "backup", str(tmp_path / "copy"))
        finally:
            load.stop()
    frtsvm(tmp_path / "restored", "restore", str(tmp_path / "copy"))
    assert frtsvm(tmp_path / "restored", "db", "check").startswith("The database has schema")
    with Server(tmp_path / "restored") as server, server.client() as client:
        kept = [item["version"] for item in client.get("/models/alpha").json()["versions"]]
        assert kept
        for (model, version), seed in acknowledged.items():
            if version in kept:
                assert response_bytes(client, model, version) == ledger.expected[seed]
        missing = {version for _, version in acknowledged} - set(kept)
        assert missing <= {version for _, version in ledger.asked_to_delete}
