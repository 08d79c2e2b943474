"""Training times on the UCI sets."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.paper.datasets import UCI_SETS
from benchmarks.paper.figures import style
from benchmarks.paper.methods.registry import KERNEL_TITLES, METHODS, PAPER_METHODS


def draw_times(seconds: dict[str, dict[str, NDArray[np.float64]]], path: Path) -> Path:
    """Draw bars; `seconds` is by kernel and set, with one value per method."""
    figure, axes = style.panels(len(seconds), 1, (10.5, 2.5 * len(seconds)), sharex=True)
    for (kernel, by_set), axis in zip(seconds.items(), axes[:, 0], strict=True):
        for number, method in enumerate(PAPER_METHODS):
            places = np.arange(len(by_set)) + 0.2 * (number - 1.5)
            heights = [1000.0 * values[number] for values in by_set.values()]
            axis.bar(
                places, heights, 0.19, color=style.COLOURS[method], label=METHODS[method].title
            )
        axis.set(yscale="log", ylabel="CPU ms per fit", title=f"{KERNEL_TITLES[kernel]} kernel")
        axis.set_ylim(0.5, 200.0)
        axis.set_yticks([1, 10, 100], ["1", "10", "100"])
        axis.set_xticks(
            range(len(by_set)), [UCI_SETS[name].title for name in by_set], rotation=30, ha="right"
        )
    axes[0, 0].legend(ncols=4, loc="upper left")
    return style.save(figure, path)
