"""Differences between methods, as a paragraph tells them."""

from dataclasses import dataclass

import numpy as np

from benchmarks.paper.comparisons import Splits, nested_splits, robustness_splits, versus
from benchmarks.paper.methods.registry import KERNEL_TITLES, KERNELS
from benchmarks.paper.report.claims.verdict import there
from benchmarks.paper.report.markdown import p_value, signed
from benchmarks.paper.report.robustness import over_corruptions
from benchmarks.paper.report.uci import counted
from benchmarks.paper.results import Results
from benchmarks.paper.statistics import LEVEL, over_sets


@dataclass(frozen=True)
class Gain:
    """Of one method over another, in points, with the p over the sets."""

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
    """On the UCI sets, one for each kernel."""
    return [
        _gain(f"{KERNEL_TITLES[kernel]}", counted(nested_splits(results, kernel)), method, other)
        for kernel in KERNELS
    ]


def corrupted_gains(results: Results, method: str, other: str) -> list[Gain]:
    """Each set with the mean over its corruptions, one for each kernel."""
    gains = []
    for kernel in KERNELS:
        found = there(robustness_splits(results, kernel))
        sets = there(over_corruptions(found))
        values = [float(splits.differences(method, other).mean()) for splits in sets.values()]
        corrupted = [versus(s, method, other) for key, s in found.items() if key != "clean"]
        losses = sum(one.losses for one in corrupted)
        gains.append(Gain(KERNEL_TITLES[kernel], float(np.mean(values)), over_sets(values), losses))
    return gains


def gains_under(results: Results, corruption: str, method: str, other: str) -> list[Gain]:
    return [
        _gain(KERNEL_TITLES[kernel], robustness_splits(results, kernel)[corruption], method, other)
        for kernel in KERNELS
    ]


def _gain(where: str, sets: dict[str, Splits], method: str, other: str) -> Gain:
    found = versus(there(sets), method, other)
    return Gain(where, found.mean, found.p, found.losses)


def told(gains: list[Gain]) -> str:
    return ", ".join(str(gain) for gain in gains)
