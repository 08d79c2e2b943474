"""Whether the matrix of a plane is singular, and whether its solution is unique."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks.paper import datasets
from benchmarks.paper.cells import Cell, Result
from benchmarks.paper.methods.preparation import prepared
from benchmarks.paper.methods.registry import KERNELS
from frtsvm_core import FRTSVMClassifier

FloatArray = NDArray[np.float64]

SMALLEST_COST = 2.0**-8  # of the paper's grid
GAMMA = 1.0
TOLERANCE = 1e-8
ORDERS = 3  # random orders of the coordinates


@dataclass(frozen=True)
class UniquenessCell(Cell):
    """Rank and condition of H'H of both planes, and the spread of the planes over coordinate orders."""

    name: str
    kernel: str

    @property
    def data(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def settings(self) -> dict[str, Any]:
        return {"cost": SMALLEST_COST, "gamma": GAMMA, "tol": TOLERANCE, "orders": ORDERS}

    def compute(self) -> Result:
        (rows,) = prepared(datasets.load(self.name))
        features = rows.x if self.kernel == "linear" else rbf_kernel(rows.x, gamma=GAMMA)
        h = np.hstack([features, np.ones((rows.size, 1))])
        parts = [h[rows.y == label] for label in (1, -1)]
        ranks = [int(np.linalg.matrix_rank(part)) for part in parts]
        distances = [self._distances(rows.x, rows.y, order) for order in range(ORDERS)]
        spread = max(np.abs(one - distances[0]).max() for one in distances)
        return {
            "missing_rank": max(h.shape[1] - rank for rank in ranks),
            "condition": max(_condition(part) for part in parts),
            "apart": float(spread / np.abs(distances[0]).max()),
            # Q has the rank of the other class. If that is less than its number of rows, the
            # multipliers are not unique.
            "many_multipliers": any(r < len(p) for r, p in zip(ranks, parts, strict=True)),
        }

    def _distances(self, x: FloatArray, y: NDArray[np.intp], order: int) -> FloatArray:
        model = FRTSVMClassifier(
            self.kernel, gamma=GAMMA, rank=None, tol=TOLERANCE, random_state=order
        )
        found: FloatArray = model.fit(x, y).distances(x)
        return found


def _condition(h: FloatArray) -> float:
    """Condition number of H'H + cE, where E is 0 for the bias."""
    penalty = np.full(h.shape[1], SMALLEST_COST)
    penalty[-1] = 0.0
    values = np.linalg.eigvalsh(h.T @ h + np.diag(penalty))
    return float(values[-1] / values[0])


def uniqueness_cells(names: list[str]) -> list[UniquenessCell]:
    return [UniquenessCell(name, kernel) for name in names for kernel in KERNELS]
