"""C3r: power cuts on real file systems.

The file system with the store is an image file on XFS, which can copy files instantly (reflinks).
A copy taken while the store works has the contents of a disk after a power cut. The test mounts the
copy, which replays the journal, and checks the store against the changes acknowledged before it.
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
from tests.reliability.operations import (
    N_SEEDS,
    OPERATIONS,
    cancel_running,
    create,
    delete,
    replace,
)
from tests.reliability.over_store import StoreView, clean_up, expected_digest
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
        raise NotPossible(f"mkfs.{kind} is not installed")
    with image.open("wb") as file:
        file.truncate(size)
    _do(f"mkfs.{kind}", "-q", str(image))


@contextmanager
def mounted(image: Path, where: Path, kind: str = "") -> Iterator[Path]:
    """Mount the file system in an image file."""
    where.mkdir(exist_ok=True)
    options = "loop,nouuid" if kind == "xfs" else "loop"  # a copy has the same UUID as the original
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


@row("C3r", "power cut on ext4 and XFS, by snapshots of the disk", full=200, quick=8, part=50)
def real_power_cuts(run: Run) -> None:
    """Every change acknowledged before the snapshot is in the snapshot."""
    if os.geteuid() != 0:
        raise NotPossible("mounting requires root")
    with ExitStack() as stack:
        outer = run.folder / "outer.img"
        _format(outer, "xfs", OUTER)
        disk = stack.enter_context(mounted(outer, run.folder / "outer"))
        for kind in KINDS:
            image = disk / f"{kind}.img"
            _format(image, kind, INNER)
            with mounted(image, run.folder / f"mount-{kind}") as home:
                _execute(run, kind, image, home / "home", run.wanted // len(KINDS))


def _execute(run: Run, kind: str, image: Path, home: Path, wanted: int) -> None:
    chance = random.Random(run.seed)
    acknowledged = run.folder / f"{kind}-{run.cases}.acks"
    worker = subprocess.Popen(
        [sys.executable, "-m", "tests.reliability.file_systems", str(home), str(acknowledged)],
        env=plain_environment(),
    )
    try:
        deadline = time.monotonic() + 60
        while not acknowledged.exists() or acknowledged.stat().st_size < 1000:
            assert worker.poll() is None, "The worker process has ended."
            assert time.monotonic() < deadline, "The worker process makes no progress."
            time.sleep(0.05)
        for number in range(wanted):
            time.sleep(chance.uniform(0.0, 0.3))
            said = acknowledged.read_text()
            snapshot = image.with_name("snapshot.img")
            _do("cp", "--reflink=always", str(image), str(snapshot))
            later = acknowledged.read_text()
            run.add_case(_violations_of(run, snapshot, kind, said, later), f"{kind} {number}")
            snapshot.unlink()
    finally:
        worker.kill()
        worker.wait()


def _violations_of(run: Run, snapshot: Path, kind: str, said: str, later: str) -> list[str]:
    ledger = Ledger(expected={seed: expected_digest(seed) for seed in range(N_SEEDS)})
    for line in said.splitlines():
        _note(ledger, json.loads(line))
    # Changes requested while the snapshot was taken may or may not be in it.
    for line in later[: later.rfind("\n") + 1].splitlines():
        what, *values = json.loads(line)
        if what == "deleting":
            ledger.asked_to_delete.add(tuple(values[0]))
    run.count("acknowledged changes", len(said.splitlines()))
    with mounted(snapshot, run.folder / "after", kind) as place:
        try:
            home = place / "home"
            with Store(home, f"sqlite:///{home}/frtsvm.sqlite3") as store:
                clean_up(store)
                return violations(StoreView(store), ledger, settled=False)
        except Exception as error:
            return [f"I3: the store is not usable: {type(error).__name__}: {error}"]


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
    """Run store operations until killed; log acknowledged changes on another file system."""
    home, notes = sys.argv[1:]
    chance = random.Random(0)
    assert {create, replace, delete, cancel_running} <= set(OPERATIONS)
    with (
        Store(Path(home), f"sqlite:///{home}/frtsvm.sqlite3") as store,
        Path(notes).open("a", encoding="ascii") as file,
    ):

        def report(*what: Any) -> None:
            file.write(json.dumps(what) + "\n")
            file.flush()

        for _ in range(3):
            replace(store, chance, report)
        while True:
            replace(store, chance, report)
            delete(store, chance, report)
            cancel_running(store, chance, report)
            _create_and_drop(store, chance, report)


def _create_and_drop(store: Store, chance: random.Random, report: Any) -> None:
    """Create and delete a model, so that the store does not grow and checks stay fast."""
    made: list[tuple[str, int]] = []

    def listen(*what: Any) -> None:
        report(*what)
        made.append(what[1])

    create(store, chance, listen)
    report("deleting", made[0])
    store.registry.delete_model(made[0][0])
    report("deleted", made[0])


if __name__ == "__main__":
    main()
