"""Ten rounds of `kill -9` during trainings and deletions."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import pytest

from tests.acceptance.crashes import Ledger, Load, crash, learn, settle, violations
from tests.app.server import Server

ROUNDS = (
    *("trainings", "worker", "server", "trainings", "fork server"),
    *("worker", "server", "trainings", "worker", "server"),
)


class NaiveServer(Server):
    """The same service over a store that acknowledges before it writes."""

    program = (sys.executable, "-m", "tests.acceptance.naive")


def wait_for_acknowledgements(ledger: Ledger, wanted: int) -> None:
    """A crash tells something only if there is something to lose."""
    before = len(ledger.trained)
    deadline = time.monotonic() + 30
    while len(ledger.trained) < before + wanted and time.monotonic() < deadline:
        time.sleep(0.005)


def play(server: Server, ledger: Ledger, number: int, kind: str) -> list[str]:
    """One round: load, crash, and what is wrong afterwards."""
    load = Load(server, ledger, number)
    load.start()
    wait_for_acknowledgements(ledger, 2)
    time.sleep(random.Random(number).uniform(0.0, 0.2))
    try:
        crash(server, kind)
    finally:
        load.stop()
    settle(server)
    return violations(server, ledger)


@pytest.mark.timeout(280)
def test_nothing_acknowledged_is_lost_and_nothing_is_half_there(
    tmp_path: Path, database_url: str
) -> None:
    ledger = Ledger()
    with Server(
        tmp_path / "home", workers=2, shutdown_grace=5, database_url=database_url
    ) as server:
        learn(server, ledger)
        # The files are the same on both databases: one round of each kind will do on the second.
        rounds = ROUNDS if database_url.startswith("sqlite") else tuple(dict.fromkeys(ROUNDS))
        for number, kind in enumerate(rounds):
            assert play(server, ledger, number, kind) == [], f"round {number}: {kind}"
        assert len(ledger.trained) >= 2 * len(rounds)
        assert len(ledger.deleted) >= len(rounds) // 2
    # After a clean stop nothing is left of all that died.
    assert list((tmp_path / "home" / "spool").iterdir()) == []
    assert list((tmp_path / "home" / "tmp").iterdir()) == []


@pytest.mark.timeout(200)
def test_a_naive_store_is_found_out(tmp_path: Path) -> None:
    ledger = Ledger()
    server = NaiveServer(tmp_path / "home", workers=1, shutdown_grace=1)
    with server:
        learn(server, ledger)
        found: list[str] = []
        for number in range(10):
            found = play(server, ledger, number, "server")
            if found:
                break
    assert found
