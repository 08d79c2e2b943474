"""The UCI sets: the paper's protocol, the best candidate in hindsight, and nested cross-validation."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks.paper import datasets
from benchmarks.paper.cells import Cell, Result
from benchmarks.paper.methods.fitting import fit_and_score
from benchmarks.paper.methods.grids import Grid
from benchmarks.paper.methods.preparation import prepared, raw_tables, tune_raw
from benchmarks.paper.methods.registry import KERNELS, PAPER_METHODS, description
from benchmarks.paper.methods.rows import folds_of

TUNING_SHARE = 0.3


@dataclass(frozen=True)
class UCICell(Cell):
    name: str
    kernel: str
    seed: int
    grid: Grid
    n_folds: int

    @property
    def data(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def settings(self) -> dict[str, Any]:
        return {"methods": description(PAPER_METHODS), "tuning": TUNING_SHARE}


@dataclass(frozen=True)
class ProtocolCell(UCICell):
    """The paper's protocol: parameters from 30 % of the rows, then accuracy over 10 folds of all rows.

    The test folds include the rows that chose the parameters, so the estimate is biased.
    """

    def compute(self) -> Result:
        rows = datasets.load(self.name)
        chosen, _ = train_test_split(
            np.arange(rows.size), train_size=TUNING_SHARE, stratify=rows.y, random_state=self.seed
        )
        tuning = rows[chosen]
        choices = tune_raw(
            PAPER_METHODS, self.kernel, tuning, folds_of(tuning, 10, self.seed), self.grid
        )
        outer = folds_of(rows, self.n_folds, self.seed)
        positive, gaps = int((rows.y > 0).sum()), int(np.isnan(rows.x).sum())
        # Rows, rows of class +1, rows of class -1, features, missing values.
        size = [rows.size, positive, rows.size - positive, rows.x.shape[1], gaps]
        result: Result = {"size": size}
        for key, choice in choices.items():
            fits = []
            for train, test in outer:
                pair = prepared(rows[train], rows[test])
                fits.append(fit_and_score(key, self.kernel, choice.params, *pair, repeat=3))
            result[key] = {
                "params": choice.params,
                "accuracies": [fit.accuracy for fit in fits],
                "seconds": float(np.mean([fit.seconds for fit in fits])),
            }
        return result


@dataclass(frozen=True)
class HindsightCell(UCICell):
    """The highest mean accuracy over the folds of any candidate, as if tuned on the test folds.

    This is not a fair estimate, but an upper bound on the accuracies that a paper can print.
    """

    def compute(self) -> Result:
        rows = datasets.load(self.name)
        folds = folds_of(rows, self.n_folds, self.seed)
        tables = raw_tables(PAPER_METHODS, self.kernel, rows, folds, self.grid)
        choices = {key: table.best() for key, table in tables.items()}
        return {
            key: {"params": choice.params, "accuracy": 100.0 * choice.score}
            for key, choice in choices.items()
        }


@dataclass(frozen=True)
class NestedCell(UCICell):
    """One outer fold of one seed, tuned by cross-validation within its training rows only."""

    fold: int
    n_inner: int

    def compute(self) -> Result:
        rows = datasets.load(self.name)
        train, test = folds_of(rows, self.n_folds, self.seed)[self.fold]
        inner = folds_of(rows[train], self.n_inner, self.seed)
        choices = tune_raw(PAPER_METHODS, self.kernel, rows[train], inner, self.grid)
        training, test_rows = prepared(rows[train], rows[test])
        result: Result = {"n_test": test_rows.size}
        for key, choice in choices.items():
            fitted = fit_and_score(key, self.kernel, choice.params, training, test_rows)
            result[key] = {"params": choice.params, "accuracy": fitted.accuracy}
        return result


def protocol_cells(names: list[str], n_seeds: int, grid: Grid, n_folds: int) -> list[ProtocolCell]:
    return [
        ProtocolCell(name, kernel, seed, grid, n_folds)
        for seed in range(n_seeds)
        for name in names
        for kernel in KERNELS
    ]


def hindsight_cells(names: list[str], grid: Grid, n_folds: int) -> list[HindsightCell]:
    return [HindsightCell(name, kernel, 0, grid, n_folds) for name in names for kernel in KERNELS]


def nested_cells(
    names: list[str], n_seeds: int, grid: Grid, n_outer: int, n_inner: int
) -> list[NestedCell]:
    return [
        NestedCell(name, kernel, seed, grid, n_outer, fold, n_inner)
        for seed in range(n_seeds)
        for name in names
        for kernel in KERNELS
        for fold in range(n_outer)
    ]
