"""Differences between methods, for the text of a paragraph."""

from dataclasses import dataclass

import numpy as np

from benchmarks.paper.comparisons import SplitAccuracies, compare, nested_splits, robustness_splits
from benchmarks.paper.methods.registry import KERNEL_TITLES, KERNELS
from benchmarks.paper.report.claims.verdict import require
from benchmarks.paper.report.markdown import p_value, signed
from benchmarks.paper.report.robustness import over_corruptions
from benchmarks.paper.report.uci import count_glass_once
from benchmarks.paper.results import Results
from benchmarks.paper.statistics import LEVEL, signed_rank_test


@dataclass(frozen=True)
class Gain:
    """Gain of one method over another, in percentage points, with p of the signed-rank test."""

    where: str
    points: float
    p: float
    losses: int = 0  # sets with a significant loss

    @property
    def significant(self) -> bool:
        return self.p < LEVEL

    def __str__(self) -> str:
        return f"{signed(self.points)} {self.where} (p {p_value(self.p)})"


def nested_gains(results: Results, method: str, other: str) -> list[Gain]:
    """Gains on the UCI sets by nested cross-validation, one for each kernel."""
    return [
        _gain(
            f"{KERNEL_TITLES[kernel]}",
            count_glass_once(nested_splits(results, kernel)),
            method,
            other,
        )
        for kernel in KERNELS
    ]


def corrupted_gains(results: Results, method: str, other: str) -> list[Gain]:
    """Gains on corrupted rows, one for each kernel. A set counts with its mean over the corruptions."""
    gains = []
    for kernel in KERNELS:
        found = require(robustness_splits(results, kernel))
        sets = require(over_corruptions(found))
        values = [float(splits.differences(method, other).mean()) for splits in sets.values()]
        corrupted = [compare(s, method, other) for key, s in found.items() if key != "clean"]
        losses = sum(one.losses for one in corrupted)
        gains.append(
            Gain(KERNEL_TITLES[kernel], float(np.mean(values)), signed_rank_test(values), losses)
        )
    return gains


def gains_under(results: Results, corruption: str, method: str, other: str) -> list[Gain]:
    return [
        _gain(KERNEL_TITLES[kernel], robustness_splits(results, kernel)[corruption], method, other)
        for kernel in KERNELS
    ]


def _gain(where: str, sets: dict[str, SplitAccuracies], method: str, other: str) -> Gain:
    found = compare(require(sets), method, other)
    return Gain(where, found.mean, found.p, found.losses)


def gains_text(gains: list[Gain]) -> str:
    return ", ".join(str(gain) for gain in gains)
