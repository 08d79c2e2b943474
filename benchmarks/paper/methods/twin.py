"""TSVM, and FR-TSVM with its memberships, tuned by the library's `FRTSVMSearchCV`.

The "own-class weights" variants also weight the distances of a plane to its own class,

    min  c/2 |t|^2 + 1/2 sum_own s_i (F_i.g + b)^2 + c3 sum_other s_i xi_i

where the paper has s only in the last sum. With membership "none", a row weight w_i enters the first
sum as it is and the last sum as c3 w_i (docs/maths.md, eq. 4), so w = s gives this problem. The weight
also enters the penalty of a kernel plane, |t| = |R^-1 g| with RR' = F' diag(s) F.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from benchmarks.paper.methods.grids import Grid
from benchmarks.paper.methods.row_weights import MembershipWeights
from benchmarks.paper.methods.rows import Folds, Rows
from benchmarks.paper.methods.selection import ScoreTable
from frtsvm_core import FRTSVMClassifier, TSVMClassifier
from frtsvm_core.model_selection import FRTSVMSearchCV

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class TSVMMethod:
    key: str = "tsvm"
    title: str = "TSVM"

    def build(self, kernel: str, params: dict[str, float]) -> TSVMClassifier:
        return TSVMClassifier(kernel, random_state=0, **params)


@dataclass(frozen=True)
class FRTSVMMethod:
    key: str
    title: str
    membership: str = "center"

    def build(self, kernel: str, params: dict[str, float]) -> FRTSVMClassifier:
        return FRTSVMClassifier(kernel, membership=self.membership, random_state=0, **params)


@dataclass(frozen=True)
class OwnWeightedMethod:
    key: str
    title: str
    row_weights: MembershipWeights

    def build(self, kernel: str, params: dict[str, float]) -> "OwnWeighted":
        return OwnWeighted(self.row_weights, self.unweighted(kernel, params))

    def unweighted(self, kernel: str, params: dict[str, float]) -> FRTSVMClassifier:
        return FRTSVMClassifier(kernel, membership="none", random_state=0, **params)


class OwnWeighted:
    """FR-TSVM with memberships in both sums."""

    def __init__(self, row_weights: MembershipWeights, twin: FRTSVMClassifier) -> None:
        self._row_weights, self._twin = row_weights, twin

    def fit(self, x: FloatArray, y: NDArray[np.intp]) -> Self:
        gamma = None if self._twin.kernel == "linear" else float(self._twin.gamma)
        weight = self._row_weights.of(Rows(x, y), self._twin.kernel, gamma)
        self._twin.fit(x, y, sample_weight=weight)
        return self

    def predict(self, x: FloatArray) -> NDArray[Any]:
        return self._twin.predict(x)


TwinMethod = TSVMMethod | FRTSVMMethod | OwnWeightedMethod


def tsvm_table(method: TSVMMethod, kernel: str, rows: Rows, folds: Folds, grid: Grid) -> ScoreTable:
    axes = grid.axes(kernel, "c1")
    return ScoreTable(axes, grid_scores(method.build(kernel, {}), axes, rows, folds))


def frtsvm_tables(
    methods: Sequence[FRTSVMMethod], kernel: str, rows: Rows, folds: Folds, grid: Grid
) -> dict[str, ScoreTable]:
    """Search all memberships at once: they differ only in the box of the dual."""
    axes = grid.axes(kernel, "c1", "c3")
    # The search orders its results by parameter name; "membership" comes last.
    wide = axes | {"membership": tuple(method.membership for method in methods)}
    scores = grid_scores(methods[0].build(kernel, {}), wide, rows, folds)
    return {
        method.key: ScoreTable(axes, scores[..., number]) for number, method in enumerate(methods)
    }


def own_weighted_table(
    method: OwnWeightedMethod, kernel: str, rows: Rows, folds: Folds, grid: Grid
) -> ScoreTable:
    """Search each fold and gamma separately.

    The memberships are row weights here, which depend on the training rows and the kernel.
    """
    axes = grid.axes(kernel, "c1", "c3")
    widths: Iterable[float | None] = axes.get("gamma", (None,))
    costs = {name: values for name, values in axes.items() if name != "gamma"}
    columns = []
    for gamma in widths:
        twin = method.unweighted(kernel, {} if gamma is None else {"gamma": gamma})
        total = np.zeros([len(values) for values in costs.values()])
        for train, validation in folds:
            # All validation rows have weight 1.
            weight = np.ones(rows.size)
            weight[train] = method.row_weights.of(rows[train], kernel, gamma)
            total += grid_scores(twin, costs, rows, [(train, validation)], weight)
        columns.append(total / len(folds))
    return ScoreTable(axes, np.stack(columns, axis=-1) if kernel == "rbf" else columns[0])


def grid_scores(
    estimator: Any,
    axes: dict[str, tuple[Any, ...]],
    rows: Rows,
    folds: Folds,
    weight: FloatArray | None = None,
) -> FloatArray:
    assert list(axes) == sorted(axes)
    lists = {name: list(values) for name, values in axes.items()}
    search = FRTSVMSearchCV(estimator, lists, cv=folds, refit=False)
    search.fit(rows.x, rows.y, sample_weight=weight)
    scores: FloatArray = search.cv_results_["mean_test_score"]
    return scores.reshape([len(values) for values in axes.values()])
