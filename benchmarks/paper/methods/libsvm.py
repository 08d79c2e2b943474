"""SVM and FSVM: scikit-learn's SVC; FSVM weights the slack by memberships.

The search computes the kernel matrix of a fold once for all costs and both methods. It uses the same
tolerance and memberships as the estimators that are fitted with the chosen parameters.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from sklearn.svm import SVC

from benchmarks.paper.methods.grids import Grid
from benchmarks.paper.methods.row_weights import MembershipWeights
from benchmarks.paper.methods.rows import Folds, Rows
from benchmarks.paper.methods.selection import ScoreTable
from frtsvm_core import FSVMClassifier

FloatArray = NDArray[np.float64]

TOLERANCE = 1e-3  # scikit-learn's default
# With large costs on overlapping classes, libsvm iterates for minutes without changing a prediction.
MOST_STEPS = 200_000


@dataclass(frozen=True)
class LibsvmMethod:
    key: str
    title: str
    row_weights: MembershipWeights | None = None

    def build(self, kernel: str, params: dict[str, float]) -> Any:
        if self.row_weights is None:
            return SVC(kernel=kernel, tol=TOLERANCE, max_iter=MOST_STEPS, **params)
        return FSVMClassifier(
            kernel,
            membership=self.row_weights.membership,
            mu=self.row_weights.mu,
            tol=TOLERANCE,
            max_iter=MOST_STEPS,
            random_state=0,
            **params,
        )


def libsvm_tables(
    methods: Sequence[LibsvmMethod], kernel: str, rows: Rows, folds: Folds, grid: Grid
) -> dict[str, ScoreTable]:
    axes = grid.axes(kernel, "C")
    widths: Sequence[float | None] = axes.get("gamma", (None,))
    scores = {method.key: np.zeros((len(grid.costs), len(widths))) for method in methods}
    for train, validation in folds:
        training, test_rows = rows[train], rows[validation]
        for column, gamma in enumerate(widths):
            inner, outer = _kernels(kernel, gamma, training.x, test_rows.x)
            for method in methods:
                weight = np.ones(training.size)
                if method.row_weights is not None:
                    weight = method.row_weights.of(training, kernel, gamma)
                # libsvm drops rows of weight 0 and then mixes up the columns of a precomputed kernel.
                kept = np.flatnonzero(weight > 0.0)
                square, tall = inner[np.ix_(kept, kept)], outer[:, kept]
                for line, cost in enumerate(grid.costs):
                    svc = SVC(kernel="precomputed", C=cost, tol=TOLERANCE, max_iter=MOST_STEPS)
                    svc.fit(square, training.y[kept], sample_weight=weight[kept])
                    scores[method.key][line, column] += np.mean(svc.predict(tall) == test_rows.y)
    shape = tuple(len(values) for values in axes.values())
    return {
        key: ScoreTable(axes, (total / len(folds)).reshape(shape)) for key, total in scores.items()
    }


def _kernels(
    kernel: str, gamma: float | None, training: FloatArray, test_rows: FloatArray
) -> tuple[FloatArray, FloatArray]:
    if kernel == "linear":
        return linear_kernel(training), linear_kernel(test_rows, training)
    return rbf_kernel(training, gamma=gamma), rbf_kernel(test_rows, training, gamma=gamma)
