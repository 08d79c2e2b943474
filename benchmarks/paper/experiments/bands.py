"""The second artificial set, with and without noise in the training rows."""

from dataclasses import dataclass
from typing import Any

from benchmarks.paper import artificial
from benchmarks.paper.cells import Cell, Result
from benchmarks.paper.methods.fitting import fit_and_score
from benchmarks.paper.methods.grids import Grid
from benchmarks.paper.methods.registry import PAPER_METHODS, description, tune
from benchmarks.paper.methods.rows import folds_of

# The paper says "N(0, 0.2)" with variance 0.2. It may mean a standard deviation of 0.2, so both
# are run.
VARIANCES = (0.0, 0.2**2, artificial.NOISE_VARIANCE)


@dataclass(frozen=True)
class BandsCell(Cell):
    seed: int
    variance: float
    grid: Grid
    n_folds: int

    @property
    def settings(self) -> dict[str, Any]:
        return {"methods": description(PAPER_METHODS)}

    def compute(self) -> Result:
        train, test = artificial.bands(self.seed, self.variance)
        folds = folds_of(train, self.n_folds, seed=self.seed)
        result = {}
        for key, choice in tune(PAPER_METHODS, "rbf", train, folds, self.grid).items():
            fitted = fit_and_score(key, "rbf", choice.params, train, test, repeat=3)
            result[key] = {
                "params": choice.params,
                "accuracy": fitted.accuracy,
                "seconds": fitted.seconds,
            }
        return result


def bands_cells(n_seeds: int, grid: Grid, n_folds: int) -> list[BandsCell]:
    return [
        BandsCell(seed, variance, grid, n_folds)
        for seed in range(n_seeds)
        for variance in VARIANCES
    ]
