"""How near the results are to the printed ones."""

import numpy as np

from benchmarks.paper import printed
from benchmarks.paper.comparisons import hindsight_accuracies, protocol_splits
from benchmarks.paper.methods.registry import KERNEL_TITLES, METHODS, PAPER_METHODS
from benchmarks.paper.report.markdown import signed
from benchmarks.paper.results import Results


def printed_agreement(results: Results, kernel: str) -> str:
    """How far results here are from the printed means: the paper's protocol, and the best candidates."""
    protocol = {
        name: folds.mean(axis=(0, 1)) for name, folds in protocol_splits(results, kernel).items()
    }
    phrases = []
    for title, found in (
        ("protocol", protocol),
        ("best in hindsight", hindsight_accuracies(results, kernel)),
    ):
        gaps = [
            accuracies - np.array(printed.UCI_MEAN[kernel][name])
            for name, accuracies in found.items()
            if name in printed.UCI_MEAN[kernel]
        ]
        if gaps:
            listed = ", ".join(
                f"{METHODS[method].title} {signed(float(value))}"
                for method, value in zip(PAPER_METHODS, np.mean(gaps, axis=0), strict=True)
            )
            phrases.append(f"{title}, {KERNEL_TITLES[kernel]}: {listed}")
    return "; ".join(phrases)
