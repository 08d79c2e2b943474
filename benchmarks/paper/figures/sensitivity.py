"""Test accuracy of the Gaussian FR-TSVM on Ripley's data over pairs of parameters."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.paper.experiments.ripley import FIXED, PANELS
from benchmarks.paper.figures import style

_NAMES = {"c1": "c₁ = c₂", "c3": "c₃ = c₄", "g": "g", "mu": "μ"}


def draw_sensitivity(accuracies: dict[str, list[list[float]]], every: int, path: Path) -> Path:
    figure, axes = style.panels(1, 4, (12.0, 3.1))
    for panel, axis in zip(PANELS, axes[0], strict=True):
        (first, rows), (second, columns) = (
            (name, values[::every]) for name, values in PANELS[panel]
        )
        image = axis.imshow(
            np.array(accuracies[panel]).T,
            origin="lower",
            aspect="auto",
            cmap="viridis",
            vmin=80.0,
            vmax=92.0,
        )
        _ticks(axis.set_xticks, first, rows)
        _ticks(axis.set_yticks, second, columns)
        axis.set(xlabel=_NAMES[first], ylabel=_NAMES[second])
        held = [f"{_NAMES[name].split(' ')[0]} = {value:g}" for name, value in FIXED.items()
                if name not in (first, second)]  # fmt: skip
        axis.set_title(f"({panel}) {', '.join(held)}")
    figure.colorbar(image, ax=axes[0, -1], label="test accuracy, %", extend="min")
    return style.save(figure, path)


def _ticks(set_ticks: Any, name: str, values: tuple[float, ...]) -> None:
    places = list(range(0, len(values), 2 if name == "mu" else 4 if len(values) > 12 else 3))
    labels = [
        f"{values[place]:g}" if name == "mu" else f"$2^{{{np.log2(values[place]):.0f}}}$"
        for place in places
    ]
    set_ticks(places, labels)
