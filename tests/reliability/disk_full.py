"""C4: full disk, with different amounts of free space."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.app.data import training
from tests.reliability.invariants import Ledger
from tests.reliability.over_http import PROBE, check, response_part, train_reference_versions
from tests.reliability.programme import NotPossible, Run, row
from tests.reliability.servers import make_server

DISK = 3 * 1024**2
#: Free space in KiB at which trainings are tried, from none to enough.
LEVELS = [0, 1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 96, 128]
REFUSED = (507, 503)


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[Path]:
    """Mount a file system of `size` bytes."""
    folder.mkdir()
    options = f"size={size},mode=700"
    command = ["mount", "-t", "tmpfs", "-o", options, "frtsvm-test", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NotPossible(f"no right to mount a small disk: {done.stderr.strip()[:100]}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


def fill(disk: Path, leave: int) -> Path:
    """Fill the disk, except for `leave` bytes."""
    filler = disk / "filler"
    free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
    with filler.open("wb") as file:
        if free > leave:
            os.posix_fallocate(file.fileno(), 0, free - leave)
    return filler


@row("C4", "full disk at 20 fill levels, with trainings", full=40, quick=5)
def full_disk(run: Run) -> None:
    """Writes get 507 with a reason, predictions work, and writes work again with free space."""
    per_database = {"sqlite": run.wanted - run.wanted // 2, "postgresql": run.wanted // 2}
    for kind, wanted in per_database.items():
        if not wanted:
            continue
        step = max(1, len(LEVELS) // wanted)
        with small_disk(run.folder / f"disk-{kind}-{run.seed}", DISK) as disk:
            _execute(run, kind, disk, LEVELS[::step][:wanted])


def _execute(run: Run, kind: str, disk: Path, levels: list[int]) -> None:
    server = make_server(disk / "home", **run.database(kind))
    server.log = run.folder / f"{kind}.log"
    ledger = Ledger()
    with server, server.client() as client:
        train_reference_versions(server, ledger)
        expected = ledger.expected[3]
        for level in levels:
            filler = fill(disk, level * 1024)
            found = _try_all(client, ledger)
            response = client.post("/predict", json={"model": "alpha", "version": 4, "X": PROBE})
            if response.status_code != 200 or response_part(response.content) != expected:
                found.append(f"I2: a prediction gets {response.status_code}")
            filler.unlink()
            again = client.post("/train", json=training("alpha", seed=0))
            if again.status_code != 201:
                found.append(f"I3: with free space again: {again.status_code} {again.text[:200]}")
            else:
                ledger.trained["alpha", again.json()["version"]] = 0
            found += check(server, ledger)
            run.add_case(found, f"{kind}, {level} KiB left")


def _try_all(client: httpx.Client, ledger: Ledger) -> list[str]:
    """Try every call that writes, while the disk is full."""
    found = []
    for seed in (1, 2):
        trained = client.post("/train", json=training("alpha", seed=seed))
        if trained.status_code == 201:
            ledger.trained["alpha", trained.json()["version"]] = seed
        elif trained.status_code not in REFUSED or not trained.json().get("detail"):
            found.append(f"I3: a training gets {trained.status_code}: {trained.text[:200]}")
    moved = client.put("/models/alpha/aliases/production", json={"version": 1})
    if moved.status_code not in (200, *REFUSED):
        found.append(f"I3: a promotion gets {moved.status_code}")
    spare = max(
        ledger.trained.keys() - ledger.asked_to_delete - {("alpha", n) for n in range(5)},
        default=None,
    )
    if spare is not None:
        ledger.asked_to_delete.add(spare)
        deleted = client.delete("/models/{}/versions/{}".format(*spare))
        if deleted.status_code == 204:
            ledger.deleted.add(spare)
        elif deleted.status_code not in REFUSED:
            found.append(f"I3: a deletion gets {deleted.status_code}")
    return found
