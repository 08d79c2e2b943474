"""Accuracy over the share of flipped labels, and with outliers."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.paper.comparisons import SplitAccuracies
from benchmarks.paper.corruption import CORRUPTIONS
from benchmarks.paper.figures import style
from benchmarks.paper.methods.registry import KERNEL_TITLES, METHODS


def draw_robustness(
    by_kernel: dict[str, dict[str, dict[str, SplitAccuracies]]], methods: Sequence[str], path: Path
) -> Path:
    """Draw the accuracy minus that of the SVM, mean over the sets.

    Flipped labels are lines; outliers are single points at the right.
    """
    figure, axes = style.panels(1, len(by_kernel), (10.5, 3.6), sharey=True)
    for (kernel, by_corruption), axis in zip(by_kernel.items(), axes[0], strict=True):
        flips = [key for key in by_corruption if CORRUPTIONS[key].outliers == 0.0]
        shares = [100.0 * CORRUPTIONS[key].flipped for key in flips]
        others = [key for key in by_corruption if key not in flips]
        for method in methods:
            gains = {key: _gain(sets, method) for key, sets in by_corruption.items()}
            colour = style.COLOURS[method]
            axis.plot(
                shares,
                [gains[key] for key in flips],
                "o-",
                color=colour,
                ms=3.5,
                label=METHODS[method].title,
            )
            axis.plot([40.0] * len(others), [gains[key] for key in others], "D", color=colour, ms=5)
        axis.axhline(0.0, color="#7f8c8d", lw=0.8)
        axis.set_xticks([*shares, 40.0], [*(f"{share:.0f} %" for share in shares), "outliers"])
        axis.set(xlabel="training labels flipped", title=f"{KERNEL_TITLES[kernel]} kernel")
    axes[0, 0].set_ylabel("accuracy minus that of the SVM, points")
    axes[0, -1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return style.save(figure, path)


def _gain(sets: dict[str, SplitAccuracies], method: str) -> float:
    return float(np.mean([splits.differences(method, "svm").mean() for splits in sets.values()]))
