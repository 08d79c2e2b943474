"""Training time and memory of TSVM and FR-TSVM with many rows."""

import time
import tracemalloc
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.datasets import make_classification, make_moons

from benchmarks.paper.cells import Cell, Result
from benchmarks.paper.methods.rows import Rows
from frtsvm_core import FRTSVMClassifier, TSVMClassifier

SIZES = {"linear": (10_000, 100_000), "rbf": (3_000, 30_000)}
GAMMA = 2.0
REPEATS = 3


@dataclass(frozen=True)
class SizeCell(Cell):
    """One method with all costs 1: linear kernel on 50 features, or Gaussian kernel on two moons."""

    method: str
    kernel: str
    n_rows: int

    @property
    def settings(self) -> dict[str, Any]:
        return {"gamma": GAMMA, "repeats": REPEATS}

    def compute(self) -> Result:
        rows = _rows(self.kernel, self.n_rows)
        seconds = []
        for _ in range(REPEATS):
            began = time.process_time()
            self._fit(rows)
            seconds.append(time.process_time() - began)
        tracemalloc.start()
        try:
            self._fit(rows)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        return {"seconds": min(seconds), "peak_mb": peak / 2**20}

    def _fit(self, rows: Rows) -> None:
        kind = TSVMClassifier if self.method == "tsvm" else FRTSVMClassifier
        kind(self.kernel, gamma=GAMMA, random_state=0).fit(rows.x, rows.y)


def _rows(kernel: str, n_rows: int) -> Rows:
    if kernel == "rbf":
        x, y = make_moons(n_rows, noise=0.25, random_state=0)
    else:
        x, y = make_classification(
            n_rows, 50, n_informative=20, n_redundant=10, flip_y=0.05, random_state=0
        )
    return Rows(np.asarray(x), np.where(y > 0, 1, -1).astype(np.intp))


def size_cells(share: float) -> list[SizeCell]:
    """List the cells, with `share` of the rows of the full plan."""
    return [
        SizeCell(method, kernel, round(share * n_rows))
        for kernel, sizes in SIZES.items()
        for n_rows in sizes
        for method in ("tsvm", "frtsvm")
    ]
