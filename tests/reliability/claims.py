"""E3: many processes claim jobs from one queue, and some of them are killed meanwhile."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from app.store.store import Store
from tests.reliability.crash_points import plain_environment
from tests.reliability.over_store import StoreView, clean_up
from tests.reliability.planted import plant_from_environment
from tests.reliability.programme import Run, row

PROCESSES = 4
DATABASES = ("sqlite", "postgresql")


@row(
    "E3",
    "jobs claimed by many processes, some killed; a case is a job",
    full=4000,
    quick=160,
    part=1000,
)
def claims(run: Run) -> None:
    """No job is claimed twice, none is lost, and each ends exactly once."""
    for kind in DATABASES:
        home = run.new_folder(kind)
        url = run.database(kind).get("database_url", f"sqlite:///{home}/frtsvm.sqlite3")
        wanted = run.wanted // len(DATABASES)
        with Store(home, url) as store:
            jobs = [enqueue_one(store, wanted) for _ in range(wanted)]
        claimed = _race(home, url, run, kills=max(1, wanted // 40))
        with Store(home, url) as store:
            clean_up(store)
            ended = {job["id"]: job["state"] for job in StoreView(store).jobs()}
        for job in jobs:
            found = []
            if claimed[job] > 1:
                found.append(f"I4: was claimed {claimed[job]} times")
            if ended.get(job) not in ("failed", "cancelled"):
                found.append(f"I4: is {ended.get(job)}")
            run.add_case(found, f"{kind} {job}")


def enqueue_one(store: Store, room: int) -> str:
    """Queue a job with very little data."""
    data = store.files.stage({"a": 1})
    return store.jobs.enqueue("m", {}, data, 1, "request", room + 1).id


def _race(home: Path, url: str, run: Run, kills: int) -> Counter[str]:
    """Start claiming processes, kill and replace some; count how often each job was claimed."""
    chance = random.Random(run.seed)
    folder = run.new_folder("claims")
    command = [sys.executable, "-m", "tests.reliability.claims", str(home), url]
    number = 0
    running: list[subprocess.Popen[bytes]] = []

    def start() -> None:
        nonlocal number
        number += 1
        running.append(
            subprocess.Popen([*command, str(folder / str(number))], env=plain_environment())
        )

    for _ in range(PROCESSES):
        start()
    deadline = time.monotonic() + 1500
    while any(process.poll() is None for process in running):
        assert time.monotonic() < deadline, "The queue does not become empty."
        time.sleep(chance.uniform(0.05, 0.5))
        alive = [p for p in running if p.poll() is None]
        if kills and alive and any(folder.iterdir()):
            kills -= 1
            os.kill(chance.choice(alive).pid, signal.SIGKILL)
            run.count("killed processes", 1)
            start()
    return Counter(line for path in folder.iterdir() for line in path.read_text().split())


def main() -> None:
    """Claim jobs until the queue is empty; write down each job immediately after its claim."""
    home, url, notes = sys.argv[1:]
    plant_from_environment()
    with Store(Path(home), url) as store, Path(notes).open("a", encoding="ascii") as file:
        from app.schemas.jobs import JobState

        idle = 0
        while idle < 3:
            record = store.jobs.claim(store.presence.id)
            if record is None:
                idle += 1
                time.sleep(0.05)
                continue
            idle = 0
            file.write(f"{record.id}\n")
            file.flush()
            store.jobs.heartbeat(record.id, record.fence, {"phase": "test", "percent": 1.0})
            store.jobs.end(record.id, record.fence, JobState.FAILED, {"code": "test"})


if __name__ == "__main__":
    main()
