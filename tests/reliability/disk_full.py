"""C4: a disk that is full, at many levels."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.app.data import training
from tests.reliability.invariants import Ledger
from tests.reliability.over_http import PROBE, answer_part, check, learn
from tests.reliability.programme import NotPossible, Run, row
from tests.reliability.servers import a_server

DISK = 3 * 1024**2
#: Free space at which a training is tried: from none to enough.
LEVELS = [0, 1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 96, 128]
REFUSED = (507, 503)


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[Path]:
    """A file system of that many bytes."""
    folder.mkdir()
    options = f"size={size},mode=700"
    command = ["mount", "-t", "tmpfs", "-o", options, "frtsvm-test", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NotPossible(f"a small disk needs the right to mount: {done.stderr.strip()[:100]}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


def fill(disk: Path, leave: int) -> Path:
    """Use all space but that many bytes."""
    filler = disk / "filler"
    free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
    with filler.open("wb") as file:
        if free > leave:
            os.posix_fallocate(file.fileno(), 0, free - leave)
    return filler


@row("C4", "full disk at 20 levels, trainings meanwhile", full=40, quick=5)
def full_disk(run: Run) -> None:
    """507 with a reason, predictions go on, and one request after there is space all works."""
    per_database = {"sqlite": run.wanted - run.wanted // 2, "postgresql": run.wanted // 2}
    for kind, wanted in per_database.items():
        if not wanted:
            continue
        step = max(1, len(LEVELS) // wanted)
        with small_disk(run.folder / f"disk-{kind}-{run.seed}", DISK) as disk:
            _play(run, kind, disk, LEVELS[::step][:wanted])


def _play(run: Run, kind: str, disk: Path, levels: list[int]) -> None:
    server = a_server(disk / "home", **run.database(kind))
    server.log = run.folder / f"{kind}.log"
    ledger = Ledger()
    with server, server.client() as client:
        learn(server, ledger)
        expected = ledger.expected[3]
        for level in levels:
            filler = fill(disk, level * 1024)
            found = _try_all(client, ledger)
            answer = client.post("/predict", json={"model": "alpha", "version": 4, "X": PROBE})
            if answer.status_code != 200 or answer_part(answer.content) != expected:
                found.append(f"I2: a prediction is answered {answer.status_code}")
            filler.unlink()
            again = client.post("/train", json=training("alpha", seed=0))
            if again.status_code != 201:
                found.append(f"I3: with space again: {again.status_code} {again.text[:200]}")
            else:
                ledger.trained["alpha", again.json()["version"]] = 0
            found += check(server, ledger)
            run.case(found, f"{kind}, {level} KiB left")


def _try_all(client: httpx.Client, ledger: Ledger) -> list[str]:
    """Every call that writes, while there is no space for it."""
    found = []
    for seed in (1, 2):
        trained = client.post("/train", json=training("alpha", seed=seed))
        if trained.status_code == 201:
            ledger.trained["alpha", trained.json()["version"]] = seed
        elif trained.status_code not in REFUSED or not trained.json().get("detail"):
            found.append(f"I3: a training is answered {trained.status_code}: {trained.text[:200]}")
    moved = client.put("/models/alpha/aliases/production", json={"version": 1})
    if moved.status_code not in (200, *REFUSED):
        found.append(f"I3: a promotion is answered {moved.status_code}")
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
            found.append(f"I3: a deletion is answered {deleted.status_code}")
    return found
