"""The estimate against the peak of a process that does nothing but the training."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import re, sys, warnings
import numpy as np
import app.jobs.preload
from app.pipeline.data import TrainingData
from app.pipeline.memory import FIXED, estimate_bytes
from app.pipeline.train import train
from app.schemas.table import Table
from app.schemas.training import TrainingOptions

warnings.simplefilter("ignore")
n, p, kernel = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
# Not getrusage: its maximum is inherited from whoever started this process.
status = lambda: open("/proc/self/status").read()
peak = lambda: 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", status())[1])
before = peak()
x = np.random.default_rng(0).normal(size=(n, p))
data = TrainingData.build(Table(x), (x[:, 0] > 0).tolist(), None)
options = TrainingOptions.model_validate({"params": {"kernel": kernel, "rank": 300}})
train(data, options, lambda _: None)
print(peak() - before, estimate_bytes(data, options) - FIXED)
"""


@pytest.mark.parametrize(("n", "p", "kernel"), [(200_000, 20, "linear"), (20_000, 10, "rbf")])
def test_the_estimate_is_an_upper_bound_and_no_wild_one(n: int, p: int, kernel: str) -> None:
    command = [sys.executable, "-c", PROGRAM, str(n), str(p), kernel]
    found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    measured, estimated = map(int, found.stdout.split())
    assert measured <= estimated <= 4 * measured
