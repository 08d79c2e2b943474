"""Results as arrays for comparing methods; the methods are the last dimension of every array."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.paper.cells import Result
from benchmarks.paper.experiments.robustness import RobustnessCell
from benchmarks.paper.experiments.uci import HindsightCell, NestedCell, ProtocolCell
from benchmarks.paper.methods.registry import METHODS, PAPER_METHODS
from benchmarks.paper.results import Results
from benchmarks.paper.statistics import corrected_t_test, signed_rank_test, significant_sign

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class SplitAccuracies:
    """Accuracies on one data set, splits x methods, in percent."""

    methods: tuple[str, ...]
    accuracies: FloatArray
    test_share: float  # n_test / n_train
    per_seed: int = 1  # number of consecutive splits with the same seed

    @property
    def n_seeds(self) -> int:
        return self.accuracies.shape[0] // self.per_seed

    @property
    def means(self) -> FloatArray:
        means: FloatArray = self.accuracies.mean(axis=0)
        return means

    def mean(self, method: str) -> float:
        return float(self.means[self.methods.index(method)])

    def differences(self, method: str, other: str) -> FloatArray:
        column = self.methods.index
        return self.accuracies[:, column(method)] - self.accuracies[:, column(other)]

    def p(self, method: str, other: str) -> float:
        return corrected_t_test(self.differences(method, other), self.test_share)

    def spread_over_seeds(self) -> FloatArray:
        """Standard deviation over the seeds of the mean accuracy per seed."""
        seeds = self.accuracies.reshape(-1, self.per_seed, len(self.methods))
        spread: FloatArray = seeds.mean(axis=1).std(axis=0)
        return spread


@dataclass(frozen=True)
class Comparison:
    """One method compared with another over several data sets."""

    wins: int  # sets with a significant gain
    losses: int  # sets with a significant loss
    mean: float  # mean difference, in percentage points
    p: float  # of the signed-rank test over the sets


def compare(sets: dict[str, SplitAccuracies], method: str, other: str) -> Comparison:
    signs, means = [], []
    for splits in sets.values():
        differences = splits.differences(method, other)
        signs.append(significant_sign(differences, splits.p(method, other)))
        means.append(float(differences.mean()))
    return Comparison(
        wins=signs.count(1),
        losses=signs.count(-1),
        mean=float(np.mean(means)),
        p=signed_rank_test(means),
    )


def protocol_splits(results: Results, kernel: str) -> dict[str, FloatArray]:
    """Accuracies by the paper's protocol, by set: complete seeds x folds x methods."""
    found: dict[str, list[FloatArray]] = defaultdict(list)
    seeds = results.complete_seeds("protocol", ProtocolCell, kernel=kernel)
    for cell, result in results.of("protocol", ProtocolCell):
        if cell.kernel == kernel and cell.seed in seeds:
            columns = [result[method]["accuracies"] for method in PAPER_METHODS]
            found[cell.name].append(np.array(columns).T)
    return {name: np.stack(parts) for name, parts in found.items()}


def protocol_seconds(results: Results, kernel: str) -> dict[str, FloatArray]:
    """Mean CPU seconds of one fit, by set, one value per method."""
    found: dict[str, list[list[float]]] = defaultdict(list)
    for cell, result in results.of("protocol", ProtocolCell):
        if cell.kernel == kernel:
            found[cell.name].append([result[method]["seconds"] for method in PAPER_METHODS])
    return {name: np.mean(seeds, axis=0) for name, seeds in found.items()}


def hindsight_accuracies(results: Results, kernel: str) -> dict[str, FloatArray]:
    """Best accuracy of any candidate of the grid, by set, one value per method."""
    return {
        cell.name: np.array([result[method]["accuracy"] for method in PAPER_METHODS])
        for cell, result in results.of("hindsight", HindsightCell)
        if cell.kernel == kernel
    }


def nested_splits(results: Results, kernel: str) -> dict[str, SplitAccuracies]:
    """Accuracies of nested cross-validation, by set: the outer folds of all complete seeds."""
    seeds = results.complete_seeds("nested", NestedCell, kernel=kernel)
    n_outer = results.plan.nested_outer
    rows: dict[str, list[list[float]]] = defaultdict(list)
    for cell, result in results.of("nested", NestedCell):
        if cell.kernel == kernel and cell.seed in seeds:
            rows[cell.name].append([result[method]["accuracy"] for method in PAPER_METHODS])
    return {
        name: SplitAccuracies(PAPER_METHODS, np.array(parts), 1.0 / (n_outer - 1), per_seed=n_outer)
        for name, parts in rows.items()
    }


# Two more "methods": use the membership with the best validation score, as a search would.
BY_VALIDATION = "by-validation"
_CHOICES = ("frtsvm", "frtsvm-none", "frtsvm-neighbors")
BY_VALIDATION_OWN = "by-validation-own"
_ALL_CHOICES = (*_CHOICES, "own-center", "own-neighbors")
ROBUSTNESS_METHODS = (*METHODS, BY_VALIDATION, BY_VALIDATION_OWN)
TITLES = {key: method.title for key, method in METHODS.items()} | {
    BY_VALIDATION: "FR-TSVM, membership by validation",
    BY_VALIDATION_OWN: "all five by validation",
}

# Splits that train on less than 70 % of the rows overlap less than the corrected t-test assumes.
LARGEST_TEST_SHARE = 3 / 7


def robustness_splits(results: Results, kernel: str) -> dict[str, dict[str, SplitAccuracies]]:
    """Accuracies by corruption and set, over the complete seeds.

    Choosing the membership by its validation score counts as two more methods.
    """
    seeds = results.complete_seeds("robustness", RobustnessCell, kernel=kernel)
    rows: dict[str, dict[str, list[list[float]]]] = defaultdict(lambda: defaultdict(list))
    shares: dict[str, float] = {}
    for cell, result in results.of("robustness", RobustnessCell):
        if cell.kernel == kernel and cell.seed in seeds:
            keys = [*METHODS, _validated(result, _CHOICES), _validated(result, _ALL_CHOICES)]
            rows[cell.corruption][cell.name].append([result[key]["accuracy"] for key in keys])
            shares[cell.name] = min(result["n_test"] / result["n_train"], LARGEST_TEST_SHARE)
    return {
        corruption: {
            name: SplitAccuracies(ROBUSTNESS_METHODS, np.array(parts), shares[name])
            for name, parts in sets.items()
        }
        for corruption, sets in rows.items()
    }


def _validated(result: Result, keys: Sequence[str]) -> str:
    """The method with the highest validation score; the first one of a tie."""
    return max(keys, key=lambda key: result[key]["validation"])
