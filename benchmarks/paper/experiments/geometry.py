"""Decision boundaries of TSVM and FR-TSVM.

Two data sets: the toy set of the paper's first two figures, and draws from Ripley's distribution, for
which the Bayes classifier is known.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.paper import artificial
from benchmarks.paper.cells import Cell, Result
from benchmarks.paper.methods.fitting import fit_and_score
from benchmarks.paper.methods.grids import Grid
from benchmarks.paper.methods.registry import KERNELS, description, tune
from benchmarks.paper.methods.rows import folds_of

TWINS = ("tsvm", "frtsvm")
RIPLEY_ROWS, TEST_ROWS = 250, 20_000


@dataclass(frozen=True)
class ToyCell(Cell):
    """One draw of the toy set: both methods, linear kernel, same grid; and the suspected rows."""

    seed: int
    grid: Grid
    n_folds: int

    @property
    def settings(self) -> dict[str, Any]:
        return {"methods": description(TWINS)}

    def compute(self) -> Result:
        train, noisy, test = artificial.toy(self.seed)
        folds = folds_of(train, self.n_folds, self.seed)
        result: Result = {}
        for key, choice in tune(TWINS, "linear", train, folds, self.grid).items():
            fitted = fit_and_score(key, "linear", choice.params, train, test)
            result[key] = {"params": choice.params, "accuracy": fitted.accuracy}
        suspected = fitted.estimator.suspected_noise_
        result["found"] = 100.0 * float(suspected[noisy].mean())
        result["wrongly"] = 100.0 * float(suspected[~noisy].mean())
        return result


@dataclass(frozen=True)
class ExactnessCell(Cell):
    """One draw from Ripley's distribution: distance of each decision from the Bayes classifier."""

    kernel: str
    seed: int
    grid: Grid
    n_folds: int

    @property
    def settings(self) -> dict[str, Any]:
        return {"methods": description(TWINS), "rows": (RIPLEY_ROWS, TEST_ROWS)}

    def compute(self) -> Result:
        train = artificial.ripley_draw(RIPLEY_ROWS, self.seed)
        test = artificial.ripley_draw(TEST_ROWS, 1_000_000 + self.seed)
        best = artificial.ripley_bayes_rule(test.x)
        folds = folds_of(train, self.n_folds, self.seed)
        result: Result = {"best": 100.0 * float(np.mean(best == test.y))}
        for key, choice in tune(TWINS, self.kernel, train, folds, self.grid).items():
            fitted = fit_and_score(key, self.kernel, choice.params, train, test)
            found = fitted.estimator.predict(test.x)
            result[key] = {
                "accuracy": fitted.accuracy,
                # Percentage of the rows where the decision differs from that of the Bayes classifier.
                "apart": 100.0 * float(np.mean(found != best)),
                # Excess of the share of rows assigned to class +1, in percentage points.
                "bias": 100.0 * float(np.mean(found == 1) - np.mean(best == 1)),
            }
        return result


def geometry_cells(n_toys: int, n_draws: int, grid: Grid, n_folds: int) -> list[Cell]:
    toys = [ToyCell(seed, grid, n_folds) for seed in range(n_toys)]
    draws = [
        ExactnessCell(kernel, seed, grid, n_folds) for seed in range(n_draws) for kernel in KERNELS
    ]
    return [*toys, *draws]
