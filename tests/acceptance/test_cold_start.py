"""CPU time from the start of a server to its first responses.

CPU time, unlike elapsed time, does not depend on the load of the machine.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.app.data import training
from tests.app.server import Server


def cpu_seconds(pid: int) -> float:
    """User and system time of a process, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.timed
def test_ready_within_three_seconds_of_cpu_and_nothing_is_compiled_later(tmp_path: Path) -> None:
    with Server(tmp_path / "home", training_preload=True) as server, server.client() as client:
        started = cpu_seconds(server.pid)
        assert started < 3.0
        assert client.post("/train", json=training("first")).status_code == 201
        response = client.post("/predict", json={"model": "first", "X": [[0.0, 0.0]]})
        assert response.status_code == 200
        # The training runs in another process. This one only loads the model and responds.
        assert cpu_seconds(server.pid) - started < 1.0


def test_without_preload_the_first_training_starts_the_training_process(tmp_path: Path) -> None:
    with Server(tmp_path / "home", training_preload=False) as server, server.client() as client:
        assert client.get("/models").json()["total"] == 0
        assert server.pids() == [server.pid]
        assert client.post("/train", json=training("first")).status_code == 201
        assert len(server.pids()) > 1
