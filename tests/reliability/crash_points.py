"""C1: every change that the store makes to its files, in turn, fails or is the last one.

The moves run in a process of its own over `faultfs`; the store goes on from case to case, as one that
crashes often does, and is checked as a whole after each.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tests.reliability.faultfs import Watched, watch
from tests.reliability.programme import Run, row

DATABASES = ("sqlite", "postgresql")


@row(
    "C1",
    "crash, full disk or I/O error at each change of a file, in six moves",
    full=3400,
    quick=60,
    part=340,
)
def crash_points(run: Run) -> None:
    """Parts of the full programme take other cases each; `quick` takes a sample of all."""
    for kind in DATABASES:
        folder = run.new_folder(kind)
        root = folder / "stores"
        root.mkdir()
        watched = watch(root, folder, sync=False)
        # Files are the same on both; only SQLite has its database among them.
        few = run.wanted // 8
        share = run.wanted - few if kind == "sqlite" else few
        url = run.database(kind).get("database_url", "")
        drive(run, kind, watched, "crash_driver", str(root / "home"), url, str(share))


def drive(run: Run, name: str, watched: Watched, driver: str, *arguments: str) -> None:
    """Run a driver over the shim, and count what it reports."""
    control = watched.environment["FAULTFS_CONTROL"]
    command = [sys.executable, "-m", f"tests.reliability.{driver}", *arguments, str(run.seed)]
    done = subprocess.run(
        [*command, control],
        env={**plain_environment(), **watched.environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=3000,
    )
    for line in done.stdout.splitlines():
        said = json.loads(line)
        for fact, amount in said.get("facts", {}).items():
            run.add(fact, amount)
        if "case" in said:
            run.case(said["found"], f"{name} {said['case']}")
    if done.returncode != 0:
        run.wrong(f"{name}: the driver ended with {done.returncode}: {done.stderr[-1500:]}")


def plain_environment() -> dict[str, str]:
    """Without settings of the service."""
    return {key: value for key, value in os.environ.items() if not key.startswith("FRTSVM_")}
