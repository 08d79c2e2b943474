"""Compare FRTSVMSearchCV with scikit-learn's GridSearchCV on the paper's grid for WDBC."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import MinMaxScaler

from benchmarks.measure import Measurement, measure
from frtsvm_core import FRTSVMClassifier
from frtsvm_core.model_selection import FRTSVMSearchCV

POWERS = range(-8, 9)


@dataclass(frozen=True)
class Task:
    """A search with its data."""

    search: Any
    x: NDArray[np.float64]
    y: NDArray[np.int64]


def wdbc(ours: bool, kernel: str, step: int) -> Task:
    """Prepare a search; `step` reduces the grid to every step-th power of both costs."""
    x, y = load_breast_cancer(return_X_y=True)
    x = MinMaxScaler().fit_transform(x)
    costs = [2.0**power for power in POWERS][::step]
    estimator = FRTSVMClassifier(kernel, random_state=0)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    kind = FRTSVMSearchCV if ours else GridSearchCV
    # Compile before the measurement.
    kind(estimator, {"c1": [0.5, 2.0]}, cv=2, refit=False).fit(x[::4], y[::4])
    return Task(kind(estimator, {"c1": costs, "c3": costs}, cv=folds, refit=False), x, y)


def run(task: Task) -> Any:
    return task.search.fit(task.x, task.y)


def report(_: Task, search: Any) -> dict[str, Any]:
    table = search.cv_results_
    return {
        "cells": {
            (params["c1"], params["c3"]): score
            for params, score in zip(table["params"], table["mean_test_score"], strict=True)
        },
        "best": search.best_params_,
        "score": float(search.best_score_),
    }


def measured(ours: bool, kernel: str, step: int) -> Measurement:
    return measure(wdbc, run, report, ours, kernel, step, repeat=3 if ours else 1)


def rows() -> list[str]:
    """Measure one row per kernel.

    GridSearchCV runs the whole grid of the linear kernel. For the RBF kernel it runs every fourth
    power of both costs (25 of 289 cells), and its times are scaled up to 289 cells.
    """
    lines = []
    for kernel, step in (("linear", 1), ("rbf", 4)):
        ours, theirs = measured(True, kernel, 1), measured(False, kernel, step)
        n_cells, n_theirs = len(ours.facts["cells"]), len(theirs.facts["cells"])
        share = n_cells / n_theirs
        differ = sum(
            ours.facts["cells"][cell] != score for cell, score in theirs.facts["cells"].items()
        )
        wall, cpu = theirs.wall * share, theirs.cpu * share
        lines.append(
            f"| {kernel}, {n_cells} cells x 5 folds | {ours.wall:.2f} | {ours.cpu:.2f} "
            f"| {wall:.1f} | {cpu:.1f} | **{wall / ours.wall:.0f} x** | {cpu / ours.cpu:.0f} x "
            f"| {differ} of {n_theirs} | {100 * ours.facts['score']:.2f} |"
        )
        print(lines[-1], flush=True)
    return lines


HEADER = [
    "| WDBC | ours, s | ours, CPU s | GridSearchCV, s | CPU s | wall ratio | CPU ratio "
    "| scores that differ | best, % |",
    "|---|---|---|---|---|---|---|---|---|",
]
