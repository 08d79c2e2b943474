"""Memory estimates, compared with the peak memory of a process that only trains."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from app.pipeline import memory
from app.pipeline.data import TrainingData
from app.schemas.table import Table
from app.schemas.training import TrainingOptions
from frtsvm_core.model_selection import auto, fold_tasks, refit

PROGRAM = """
import json, re, sys, warnings
import numpy as np
import app.jobs.preload
from app.pipeline.data import TrainingData
from app.pipeline.memory import FIXED, estimate_bytes
from app.pipeline.train import train
from app.schemas.table import Table
from app.schemas.training import TrainingOptions

warnings.simplefilter("ignore")
n, p, given = int(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])
# Not getrusage: its maximum is inherited from the parent process.
status = lambda: open("/proc/self/status").read()
peak = lambda: 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", status())[1])
before = peak()
x = np.random.default_rng(0).normal(size=(n, p))
data = TrainingData.build(Table(x), (x[:, 0] > 0).tolist(), None)
options = TrainingOptions.model_validate(given)
train(data, options, lambda _: None)
print(peak() - before, estimate_bytes(data, options) - FIXED)
"""


@pytest.mark.parametrize(
    ("n", "p", "options", "wild"),
    [
        (200_000, 20, {"params": {"kernel": "linear"}}, 4),
        (20_000, 10, {"params": {"kernel": "rbf", "rank": 300}}, 4),
        (
            20_000,
            10,
            {"params": {"rank": 100}, "search": {"grid": {"c3": [0.5, 1]}, "folds": 3}},
            4,
        ),
        (20_000, 10, {"params": {"rank": 100}, "validation": {"folds": 10}}, 4),
        # The configurations within the time budget depend on the speed of the host.
        (60_000, 20, {"params": "auto", "search": {"time_budget": 4.0}}, 30),
    ],
)
def test_the_estimate_is_an_upper_bound_of_the_right_order(
    n: int, p: int, options: dict[str, Any], wild: int
) -> None:
    command = [sys.executable, "-c", PROGRAM, str(n), str(p), json.dumps(options)]
    found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    measured, estimated = map(int, found.stdout.split())
    assert measured <= estimated <= wild * measured


def test_constants_agree_with_those_of_the_search() -> None:
    assert max(auto.STAGE_ROWS) == memory.AUTO_ROWS
    assert fold_tasks.MAX_PREPARED_FOLDS == memory.KEPT
    assert max(auto.STAGE_RANK) == memory.AUTO_RANK
    assert min(refit.REFIT_RANKS) == memory.AUTO_REFIT_RANK


def test_a_rank_that_a_search_chose_is_lowered_to_fit_into_memory() -> None:
    x = np.random.default_rng(0).normal(size=(50_000, 2))
    data = TrainingData.build(Table(x), (x[:, 0] > 0).tolist(), None)
    options = TrainingOptions.model_validate({"params": {"rank": 1024}})
    assert memory.within_memory(data, options, None) == options
    cut = memory.within_memory(data, options, 700 * 1024**2)
    assert cut.params.rank == 256
    assert memory.fit_bytes(data, cut.params) <= 700 * 1024**2
    least = memory.within_memory(data, options, 1)
    assert least.params.rank == memory.AUTO_REFIT_RANK


def test_a_worker_takes_as_many_folds_as_fit_into_its_memory() -> None:
    x = np.random.default_rng(0).normal(size=(5_000, 20))
    data = TrainingData.build(Table(x), (x[:, 0] > 0).tolist(), None)
    options = TrainingOptions.model_validate({"params": "auto", "search": {"time_budget": 4.0}})
    most = [memory.folds_at_a_time(data, options, mb * 1024**2) for mb in (1, 256, 512, 2048)]
    assert most == sorted(most)
    assert most[0] == 1  # otherwise the search would never end
    assert 1 < most[2] < most[3]
    # Two folds fewer than without the table and the cached folds.
    both = memory.estimate_bytes(data, options)
    assert memory.folds_at_a_time(data, options, both) <= 5
