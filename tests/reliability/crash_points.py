"""C1: a crash or an error at each change that the store makes to its files, in turn.

The store operations run in a separate process with `faultfs` preloaded. All cases use the same
store, like a store that crashes often, and the whole store is checked after each case.
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
    "crash, full disk or I/O error at each file change of six store operations",
    full=3400,
    quick=60,
    part=340,
)
def crash_points(run: Run) -> None:
    """Each part of a full run takes different cases; `make test` takes a sample of all."""
    for kind in DATABASES:
        folder = run.new_folder(kind)
        root = folder / "stores"
        root.mkdir()
        watched = watch(root, folder, sync=False)
        # The artifact files are the same with both databases, but only SQLite adds database files.
        few = run.wanted // 8
        share = run.wanted - few if kind == "sqlite" else few
        url = run.database(kind).get("database_url", "")
        drive(run, kind, watched, "crash_driver", str(root / "home"), url, str(share))


def drive(run: Run, name: str, watched: Watched, driver: str, *arguments: str) -> None:
    """Run a driver program with `faultfs` preloaded, and record the cases that it reports."""
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
            run.count(fact, amount)
        if "case" in said:
            run.add_case(said["found"], f"{name} {said['case']}")
    if done.returncode != 0:
        run.add_violations(
            f"{name}: The driver exited with code {done.returncode}: {done.stderr[-1500:]}"
        )


def plain_environment() -> dict[str, str]:
    """The environment without settings of the service."""
    return {key: value for key, value in os.environ.items() if not key.startswith("FRTSVM_")}
