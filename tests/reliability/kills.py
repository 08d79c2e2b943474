"""C2: `kill -9` at random moments, under load."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

from tests.app.server import Server, children_of
from tests.reliability.invariants import Ledger
from tests.reliability.load import Load
from tests.reliability.over_http import check, learn, restart
from tests.reliability.programme import Run, row
from tests.reliability.servers import a_server

#: Which processes are killed; the one whole server is the most telling.
KINDS = ("server", "trainings", "worker", "server", "fork server")


def wait_for_acknowledgements(ledger: Ledger, wanted: int) -> None:
    """A crash tells something only if there is something to lose."""
    before = len(ledger.trained)
    deadline = time.monotonic() + 30
    while len(ledger.trained) < before + wanted and time.monotonic() < deadline:
        time.sleep(0.005)


def play(server: Server, ledger: Ledger, number: int, kind: str, acks: int = 2) -> list[str]:
    """One round: load, crash, and what is wrong afterwards."""
    load = Load(server, ledger, number, predict=True)
    load.start()
    wait_for_acknowledgements(ledger, acks)
    time.sleep(random.Random(number).uniform(0.0, 0.2))
    try:
        found = crash(server, kind)
    finally:
        load.stop()
    return found + load.wrong + check(server, ledger)


def crash(server: Server, kind: str) -> list[str]:
    """`kill -9`, and start again what does not start itself."""
    if kind == "server":
        server.kill()
        return restart(server)
    chosen: list[int] = []
    deadline = time.monotonic() + 10
    while not chosen:  # a training lives for some hundredths of a second
        assert time.monotonic() < deadline, f"nothing to kill: {kind}"
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
    """Processes of a kind: workers, one worker, trainings, or those that these are forked from."""
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


@row("C2", "kill -9 at random, two workers, trainings and predictions", full=500, quick=4, part=25)
def random_kills(run: Run) -> None:
    """Half of the crashes, at least, hit the whole server; each fifth part runs on PostgreSQL."""
    few = run.wanted < 25
    if few:
        on_postgresql = max(1, run.wanted // 6)
        plan = [("sqlite", run.wanted - on_postgresql), ("postgresql", on_postgresql)]
    else:
        plan = [("postgresql" if run.seed % 5 == 4 else "sqlite", run.wanted)]
    for kind, rounds in plan:
        ledger = Ledger()
        # 2 acknowledgements before a crash, 20 in the full programme: more to lose, more to check.
        acks = 2 if few else 20
        server = a_server(
            run.new_folder("home"),
            workers=2,
            shutdown_grace=5,
            job_history=100_000,
            **run.database(kind),
        )
        with server:
            learn(server, ledger)
            for number in range(rounds):
                victim = KINDS[number % len(KINDS)]
                found = play(server, ledger, run.seed * 1000 + number, victim, acks)
                run.case(found, f"{kind} {number}: {victim}")
            run.add("acknowledged trainings", len(ledger.trained))
            run.add("acknowledged deletions", len(ledger.deleted))
