"""C2: `kill -9` at random times, under load."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

from tests.app.server import Server, children_of
from tests.reliability.invariants import Ledger
from tests.reliability.load import Load
from tests.reliability.over_http import check, restart, train_reference_versions
from tests.reliability.programme import Run, row
from tests.reliability.servers import make_server

#: Processes that are killed, in turn; killing the whole server is the hardest case.
KINDS = ("server", "trainings", "worker", "server", "fork server")


def wait_for_acknowledgements(ledger: Ledger, wanted: int) -> None:
    """Wait until the clients have acknowledged changes that a crash could lose."""
    before = len(ledger.trained)
    deadline = time.monotonic() + 30
    while len(ledger.trained) < before + wanted and time.monotonic() < deadline:
        time.sleep(0.005)


def run_round(server: Server, ledger: Ledger, number: int, kind: str, acks: int = 2) -> list[str]:
    """Run one round of load and a crash; return the violations."""
    load = Load(server, ledger, number, predict=True)
    load.start()
    wait_for_acknowledgements(ledger, acks)
    time.sleep(random.Random(number).uniform(0.0, 0.2))
    try:
        found = crash(server, kind)
    finally:
        load.stop()
    return found + load.violations + check(server, ledger)


def crash(server: Server, kind: str) -> list[str]:
    """Kill processes with SIGKILL, and restart the server if it was killed."""
    if kind == "server":
        server.kill()
        return restart(server)
    chosen: list[int] = []
    deadline = time.monotonic() + 10
    while not chosen:  # a training process exists for some hundredths of a second only
        assert time.monotonic() < deadline, f"There is no process of the kind {kind!r}."
        chosen = victims(server, kind)
    for pid in chosen:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    time.sleep(0.7)
    server.wait_until_ready()
    return []


def victims(server: Server, kind: str) -> list[int]:
    """Processes of a kind: workers, one worker, trainings, or the fork servers of the trainings."""
    family = children_of(server.pid)
    if kind in ("worker", "workers"):
        workers = [pid for pid in family if "spawn_main" in _command(pid)]
        return workers[:1] if kind == "worker" else workers
    forks = {pid for pid in family if "forkserver" in _command(pid)}
    trainings = {pid for pid in forks if _parent(pid) in forks}
    return sorted(trainings if kind == "trainings" else forks - trainings)


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


@row(
    "C2",
    "kill -9 at random times; two workers, trainings and predictions",
    full=500,
    quick=4,
    part=25,
)
def random_kills(run: Run) -> None:
    """40 % of the crashes kill the whole server; every fifth part runs on PostgreSQL."""
    few = run.wanted < 25
    if few:
        on_postgresql = max(1, run.wanted // 6)
        plan = [("sqlite", run.wanted - on_postgresql), ("postgresql", on_postgresql)]
    else:
        plan = [("postgresql" if run.seed % 5 == 4 else "sqlite", run.wanted)]
    for kind, rounds in plan:
        ledger = Ledger()
        # 2 acknowledgements before a crash, 20 in a full run: more to lose, but more to check.
        acks = 2 if few else 20
        server = make_server(
            run.new_folder("home"),
            workers=2,
            shutdown_grace=5,
            job_history=100_000,
            **run.database(kind),
        )
        with server:
            train_reference_versions(server, ledger)
            for number in range(rounds):
                victim = KINDS[number % len(KINDS)]
                found = run_round(server, ledger, run.seed * 1000 + number, victim, acks)
                run.add_case(found, f"{kind} {number}: {victim}")
            run.count("acknowledged trainings", len(ledger.trained))
            run.count("acknowledged deletions", len(ledger.deleted))
