"""D1, D2: the memory estimate of a training, and trainings that exceed their limit."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any
from unittest import mock

import numpy as np

from app.schemas.jobs import JobState
from tests.app.data import training
from tests.app.jobs.test_engine import nothing_left, running, submit, until
from tests.app.pipeline.test_memory import PROGRAM
from tests.reliability.programme import Run, row

#: Maximum ratio of the estimate to the memory used; the estimate must never be lower than the use.
FACTOR = 4.0
LINEAR: dict[str, Any] = {"params": {"kernel": "linear"}}
#: The first ones differ as much as possible, for short runs; the slow ones are at the end.
POINTS: tuple[tuple[int, int, dict[str, Any]], ...] = (
    (400_000, 10, LINEAR),
    (50_000, 200, LINEAR),
    (10_000, 20, {"params": {"rank": 100}}),
    (20_000, 20, {"params": {"rank": 500}}),
    (100_000, 5, {"params": {"rank": 200}}),
    (20_000, 10, {"params": {"rank": 100}, "validation": {"folds": 3}}),
    (100_000, 10, LINEAR),
    (100_000, 50, LINEAR),
    (50_000, 20, {"params": {"rank": 100}}),
    (3000, 50, {"params": {"kernel": "poly", "rank": None}}),
    (50_000, 10, {"params": {"rank": 64, "membership": "neighbors"}}),
    (5000, 10, {"params": {"kernel": "rbf", "rank": None}}),
)
#: Program that forks one process per point after loading the numerical code, like a training.
FORK_PROGRAM = """
import json, os, sys
import app.jobs.preload

program, points = sys.argv[1], json.loads(sys.argv[2])
for point in points:
    child = os.fork()
    if child == 0:
        app.jobs.preload.warm_up()  # load the pages of the libraries into this process
        sys.argv[1:] = point
        exec(program)
        sys.stdout.flush()
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
        sys.exit(f"{point} failed")
"""


@row("D1", "estimated and measured memory of a training", full=12, quick=6)
def estimates(run: Run) -> None:
    """The estimate is never lower than the use; the table contains the largest ratio."""
    points = POINTS[: run.wanted]
    given = json.dumps([(str(n), str(p), json.dumps(options)) for n, p, options in points])
    command = [sys.executable, "-c", FORK_PROGRAM, PROGRAM, given]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=900)
    for (n, p, options), line in zip(points, done.stdout.splitlines(), strict=True):
        measured, estimated = map(int, line.split())
        found = []
        if measured > estimated:
            found.append(f"uses {measured} bytes, more than the estimate of {estimated}")
        if estimated > FACTOR * measured:
            found.append(f"estimate of {estimated} bytes is too high, uses {measured}")
        run.keep_maximum("largest ratio of estimate to use", round(estimated / measured, 2))
        run.add_case(found, f"{n} x {p} {options}")


@row("D2", "trainings that exceed their memory limit", full=50, quick=5, part=25)
def over_the_limit(run: Run) -> None:
    """The training fails with `out_of_memory`, and the next training succeeds."""
    home = run.new_folder("home")
    body = training("big")
    body["X"] = np.random.default_rng(0).normal(size=(6000, 2)).tolist()
    body["y"] = [i % 2 for i in range(6000)]
    body["params"] = {"rank": None}
    # Replace the estimate, which would refuse the training, to test the limit of the process.
    with (
        mock.patch("app.services.training.estimate_bytes", return_value=1),
        running(home, f"sqlite:///{home}/db.sqlite3", training_memory=64 * 1024**2) as container,
    ):
        for number in range(run.wanted):
            record = until(container, submit(container, body).id, JobState.FAILED)
            code = record.error["code"] if record.error else None
            found = [] if code == "out_of_memory" else [f"I4: the training failed with {code}"]
            small = until(
                container,
                submit(container, training("small")).id,
                JobState.SUCCEEDED,
                JobState.FAILED,
            )
            if small.state is not JobState.SUCCEEDED:
                found.append(f"I3: the next training is {small.state.value}")
            if not nothing_left(container):
                found.append("I4: files are left over")
            run.add_case(found, str(number))
