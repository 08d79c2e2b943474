"""C3r: power cuts on real file systems.

A file system lives in a file of another one that can copy files in an instant. Such a copy, taken while
the store is at work, is what a disk holds when the power fails; it is mounted, which replays its
journal, and the store in it is checked against what had been acknowledged before the copy was taken.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from app.store.store import Store
from tests.reliability.crash_points import plain_environment
from tests.reliability.invariants import Ledger, violations
from tests.reliability.moves import MOVES, N_SEEDS, cancel_running, create, delete, replace
from tests.reliability.over_store import StoreView, clean_up, expected_print
from tests.reliability.programme import NotPossible, Run, row

MIB = 1024**2
INNER, OUTER = 400 * MIB, 3000 * MIB
KINDS = ("ext4", "xfs")


def _do(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NotPossible(f"{command[0]}: {(done.stderr or done.stdout).strip()[:120]}")


def _format(image: Path, kind: str, size: int) -> None:
    if shutil.which(f"mkfs.{kind}") is None:
        raise NotPossible(f"there is no mkfs.{kind}")
    with image.open("wb") as file:
        file.truncate(size)
    _do(f"mkfs.{kind}", "-q", str(image))


@contextmanager
def mounted(image: Path, where: Path, kind: str = "") -> Iterator[Path]:
    """The file system in a file."""
    where.mkdir(exist_ok=True)
    options = "loop,nouuid" if kind == "xfs" else "loop"  # a copy has the number of its original
    _do("mount", "-o", options, str(image), str(where))
    try:
        yield where
    finally:
        for _ in range(20):
            if (
                subprocess.run(["umount", str(where)], capture_output=True, check=False).returncode
                == 0
            ):
                break
            time.sleep(0.2)


@row("C3r", "power cut on ext4 and on xfs, by copies of the disk", full=200, quick=8, part=50)
def real_power_cuts(run: Run) -> None:
    """What was acknowledged before the copy is in it."""
    if os.geteuid() != 0:
        raise NotPossible("mounting needs root")
    with ExitStack() as stack:
        outer = run.folder / "outer.img"
        _format(outer, "xfs", OUTER)
        disk = stack.enter_context(mounted(outer, run.folder / "outer"))
        for kind in KINDS:
            image = disk / f"{kind}.img"
            _format(image, kind, INNER)
            with mounted(image, run.folder / f"mount-{kind}") as home:
                _play(run, kind, image, home / "home", run.wanted // len(KINDS))


def _play(run: Run, kind: str, image: Path, home: Path, wanted: int) -> None:
    chance = random.Random(run.seed)
    acknowledged = run.folder / f"{kind}-{run.cases}.acks"
    worker = subprocess.Popen(
        [sys.executable, "-m", "tests.reliability.file_systems", str(home), str(acknowledged)],
        env=plain_environment(),
    )
    try:
        deadline = time.monotonic() + 60
        while not acknowledged.exists() or acknowledged.stat().st_size < 1000:
            assert worker.poll() is None, "the worker has ended"
            assert time.monotonic() < deadline, "the worker does nothing"
            time.sleep(0.05)
        for number in range(wanted):
            time.sleep(chance.uniform(0.0, 0.3))
            said = acknowledged.read_text()
            snapshot = image.with_name("snapshot.img")
            _do("cp", "--reflink=always", str(image), str(snapshot))
            later = acknowledged.read_text()
            run.case(_wrong_with(run, snapshot, kind, said, later), f"{kind} {number}")
            snapshot.unlink()
    finally:
        worker.kill()
        worker.wait()


def _wrong_with(run: Run, snapshot: Path, kind: str, said: str, later: str) -> list[str]:
    ledger = Ledger(expected={seed: expected_print(seed) for seed in range(N_SEEDS)})
    for line in said.splitlines():
        _note(ledger, json.loads(line))
    # What was asked for meanwhile may have happened or not.
    for line in later[: later.rfind("\n") + 1].splitlines():
        what, *values = json.loads(line)
        if what == "deleting":
            ledger.asked_to_delete.add(tuple(values[0]))
    run.add("acknowledged", len(said.splitlines()))
    with mounted(snapshot, run.folder / "after", kind) as place:
        try:
            home = place / "home"
            with Store(home, f"sqlite:///{home}/frtsvm.sqlite3") as store:
                clean_up(store)
                return violations(StoreView(store), ledger, settled=False)
        except Exception as error:
            return [f"I3: the store cannot be used: {type(error).__name__}: {error}"]


def _note(ledger: Ledger, said: list[Any]) -> None:
    what, *values = said
    if what == "trained":
        ledger.trained[tuple(values[0])] = values[1]  # type: ignore[index]
    elif what == "deleting":
        ledger.asked_to_delete.add(tuple(values[0]))
    elif what == "deleted":
        ledger.deleted.add(tuple(values[0]))
    elif what == "cancelled":
        ledger.cancelled.add(values[0])


def main() -> None:
    """Make moves until killed; note what is acknowledged, on another file system."""
    home, notes = sys.argv[1:]
    chance = random.Random(0)
    assert {create, replace, delete, cancel_running} <= set(MOVES)
    with (
        Store(Path(home), f"sqlite:///{home}/frtsvm.sqlite3") as store,
        Path(notes).open("a", encoding="ascii") as file,
    ):

        def say(*what: Any) -> None:
            file.write(json.dumps(what) + "\n")
            file.flush()

        for _ in range(3):
            replace(store, chance, say)
        while True:
            replace(store, chance, say)
            delete(store, chance, say)
            cancel_running(store, chance, say)
            _create_and_drop(store, chance, say)


def _create_and_drop(store: Store, chance: random.Random, say: Any) -> None:
    """A model that comes and goes, so that checking takes no longer with time."""
    made: list[tuple[str, int]] = []

    def listen(*what: Any) -> None:
        say(*what)
        made.append(what[1])

    create(store, chance, listen)
    say("deleting", made[0])
    store.registry.delete_model(made[0][0])
    say("deleted", made[0])


if __name__ == "__main__":
    main()
