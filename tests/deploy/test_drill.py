"""The smoke test and the backup drill of the operations guide pass, and the drill can fail."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.app.server import FRTSVM, Server, free_port

DEPLOY = Path(__file__).parents[2] / "deploy"


@pytest.mark.slow
def test_a_backup_of_a_running_service_restores_everything(tmp_path: Path) -> None:
    with Server(tmp_path / "home") as server:
        environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("FRTSVM_")},
            "PATH": f"{FRTSVM.parent}:{os.environ['PATH']}",
            "BASE_URL": server.url,
            "FRTSVM_HOME": str(server.home),
            "DRILL_PORT": str(free_port()),
        }

        def run(*command: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                command, env=environment, capture_output=True, text=True, check=False, timeout=240
            )

        smoke = run(str(DEPLOY / "smoke.sh"))
        assert smoke.returncode == 0, smoke.stderr
        again = run(str(DEPLOY / "smoke.sh"), "--again")
        assert again.returncode == 0, again.stderr
        assert "version 2" in again.stdout
        drill = run(str(DEPLOY / "backup-drill.sh"))
        assert drill.returncode == 0, drill.stdout + drill.stderr
        assert "2 versions restored, identical" in drill.stdout
        # The drill can fail: a version whose file is missing is not in the backup.
        next((server.home / "artifacts").iterdir()).unlink()
        assert run(str(DEPLOY / "backup-drill.sh")).returncode != 0
