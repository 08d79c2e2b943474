"""Ripley's synthetic data: accuracy, training time, and sensitivity to the parameters."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from benchmarks.paper import artificial
from benchmarks.paper.cells import Cell, Result
from benchmarks.paper.methods.fitting import fit_and_score
from benchmarks.paper.methods.grids import Grid, powers_of_two
from benchmarks.paper.methods.registry import (
    METHODS,
    PAPER_METHODS,
    description,
    score_tables,
    tune,
)
from benchmarks.paper.methods.rows import folds_of, train_then_test
from benchmarks.paper.methods.twin import grid_scores

# Values of the parameters that do not vary in a panel, from the captions of the paper's figure.
FIXED = {"mu": 0.1, "g": 1.0, "c1": 32.0, "c3": 0.5}
_COSTS, _WIDTHS = powers_of_two(-8, 8), powers_of_two(-5, 4)
_MUS = tuple(round(0.05 * step, 2) for step in range(11))
# Panel: (first parameter, its values), (second parameter, its values).
PANELS = {
    "a": (("c1", _COSTS), ("c3", _COSTS)),
    "b": (("c3", _COSTS), ("g", _WIDTHS)),
    "c": (("c1", _COSTS), ("g", _WIDTHS)),
    "d": (("g", _WIDTHS), ("mu", _MUS)),
}


@dataclass(frozen=True)
class RipleyCell(Cell):
    """One method: tuned on the training rows only, and the best test accuracy of any candidate."""

    method: str
    kernel: str
    grid: Grid
    n_folds: int

    @property
    def data(self) -> tuple[str, ...]:
        return ("ripley",)

    @property
    def settings(self) -> dict[str, Any]:
        return {"methods": description([self.method])}

    def compute(self) -> Result:
        train, test = artificial.ripley()
        folds = folds_of(train, self.n_folds, seed=0)
        choice = tune([self.method], self.kernel, train, folds, self.grid)[self.method]
        fitted = fit_and_score(self.method, self.kernel, choice.params, train, test, repeat=5)
        both = train_then_test(train, test)
        seen = score_tables([self.method], self.kernel, *both, self.grid)[self.method].best()
        return {
            "params": choice.params,
            "validation": 100.0 * choice.score,
            "accuracy": fitted.accuracy,
            "seconds": fitted.seconds,
            "best_in_test": 100.0 * seen.score,
            "best_in_test_params": seen.params,
        }


@dataclass(frozen=True)
class MembershipsCell(Cell):
    """Rank correlation between linear memberships and the distance to the center of the own class."""

    @property
    def data(self) -> tuple[str, ...]:
        return ("ripley",)

    def compute(self) -> Result:
        train, _ = artificial.ripley()
        model = METHODS["frtsvm"].build("linear", {}).fit(train.x, train.y)
        result = {}
        for name, label in (("positive", 1), ("negative", -1)):
            own = train.y == label
            far = np.linalg.norm(train.x[own] - train.x[own].mean(axis=0), axis=1)
            result[name] = {
                "correlation": float(spearmanr(far, model.memberships_[own]).statistic),
                "suspected": 100.0 * float(model.suspected_noise_[own].mean()),
            }
        return result


@dataclass(frozen=True)
class SensitivityCell(Cell):
    """Test accuracy of the Gaussian FR-TSVM over two parameters."""

    panel: str
    every: int = 1  # use every n-th value

    @property
    def data(self) -> tuple[str, ...]:
        return ("ripley",)

    @property
    def settings(self) -> dict[str, Any]:
        return {"fixed": FIXED, "panel": PANELS[self.panel]}

    def compute(self) -> Result:
        both, folds = train_then_test(*artificial.ripley())
        names = [name for name, _ in PANELS[self.panel]]
        varied = {name: values[:: self.every] for name, values in PANELS[self.panel]}
        values = {name: (held,) for name, held in FIXED.items()} | varied
        axes = {
            "c1": values["c1"],
            "c3": values["c3"],
            "gamma": tuple(width**-2 for width in values["g"]),
            "mu": values["mu"],
        }
        scores = grid_scores(METHODS["frtsvm"].build("rbf", {}), axes, both, folds)
        order = ["c1", "c3", "g", "mu"]
        varying = [len(values[name]) for name in order if name in names]
        # A panel names its two parameters in the order of the axes, so no transposition is needed.
        return {"accuracy": (100.0 * scores.reshape(varying)).tolist()}


def ripley_cells(grid: Grid, n_folds: int) -> list[Cell]:
    return [
        MembershipsCell(),
        *(
            RipleyCell(method, kernel, grid, n_folds)
            for kernel in ("linear", "rbf")
            for method in PAPER_METHODS
        ),
    ]


def sensitivity_cells(every: int) -> list[SensitivityCell]:
    return [SensitivityCell(panel, every) for panel in PANELS]
