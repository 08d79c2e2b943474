"""Difference between the results and the printed accuracies."""

import numpy as np

from benchmarks.paper import printed
from benchmarks.paper.comparisons import hindsight_accuracies, protocol_splits
from benchmarks.paper.methods.registry import KERNEL_TITLES
from benchmarks.paper.report.markdown import signed
from benchmarks.paper.results import Results


def agreement_rows(results: Results, kernel: str) -> list[list[str]]:
    """Table rows: mean over the UCI sets of the accuracy found here minus the printed one."""
    protocol = {
        name: folds.mean(axis=(0, 1)) for name, folds in protocol_splits(results, kernel).items()
    }
    rows = []
    for title, found in (
        ("the paper's protocol", protocol),
        ("best candidate in hindsight", hindsight_accuracies(results, kernel)),
    ):
        gaps = [
            accuracies - np.array(printed.UCI_MEAN[kernel][name])
            for name, accuracies in found.items()
            if name in printed.UCI_MEAN[kernel]
        ]
        if gaps:
            means = [signed(float(value)) for value in np.mean(gaps, axis=0)]
            rows.append([f"{KERNEL_TITLES[kernel]}, {title}", *means])
    return rows
