"""Robustness (not in the paper): accuracy on clean test rows after training on corrupted rows."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks.paper.cells import Cell, Result, pool
from benchmarks.paper.corruption import CORRUPTIONS
from benchmarks.paper.methods.fitting import fit_and_score
from benchmarks.paper.methods.grids import Grid
from benchmarks.paper.methods.preparation import prepared
from benchmarks.paper.methods.registry import KERNELS, METHODS, description, tune
from benchmarks.paper.methods.rows import folds_of

TRAINING_SHARE = 0.7
MOST_TRAINING_ROWS = 200


@dataclass(frozen=True)
class RobustnessCell(Cell):
    """One split of one set: every method, tuned on the corrupted rows with the same folds and grid."""

    name: str
    corruption: str
    kernel: str
    seed: int
    grid: Grid
    n_folds: int

    @property
    def data(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "share": TRAINING_SHARE,
            "most": MOST_TRAINING_ROWS,
            "corruption": asdict(CORRUPTIONS[self.corruption]),
            "methods": description(list(METHODS)),
        }

    def compute(self) -> Result:
        rows = pool(self.name)
        train, test = train_test_split(
            np.arange(rows.size),
            train_size=training_rows(rows.size),
            stratify=rows.y,
            random_state=self.seed,
        )
        clean, test_rows = prepared(rows[train], rows[test])
        training = CORRUPTIONS[self.corruption].apply(clean, self.seed)
        folds = folds_of(training, self.n_folds, self.seed)
        result: Result = {"n_train": training.size, "n_test": test_rows.size}
        for key, choice in tune(list(METHODS), self.kernel, training, folds, self.grid).items():
            fitted = fit_and_score(key, self.kernel, choice.params, training, test_rows)
            result[key] = {
                "params": choice.params,
                "validation": 100.0 * choice.score,
                "accuracy": fitted.accuracy,
            }
        return result


def training_rows(n_rows: int) -> int:
    return min(round(TRAINING_SHARE * n_rows), MOST_TRAINING_ROWS)


def robustness_cells(
    names: list[str], corruptions: list[str], n_seeds: int, grid: Grid, n_folds: int
) -> list[RobustnessCell]:
    """List the cells seed by seed, so that an interrupted run still has complete seeds to compare."""
    return [
        RobustnessCell(name, corruption, kernel, seed, grid, n_folds)
        for seed in range(n_seeds)
        for name in names
        for corruption in corruptions
        for kernel in KERNELS
    ]
