"""What all figures have in common."""

from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt

POSITIVE, NEGATIVE = "#c0392b", "#2471a3"
# One colour per method, told apart without red against green.
COLOURS = {
    "svm": "#7f8c8d",
    "fsvm": "#d4ac0d",
    "tsvm": "#2471a3",
    "frtsvm": "#c0392b",
    "frtsvm-none": "#e59866",
    "frtsvm-neighbors": "#7d3c98",
    "own-center": "#1e8449",
    "own-neighbors": "#45b39d",
    "fsvm-neighbors": "#935116",
}
_SETTINGS: dict[str, Any] = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "savefig.dpi": 110,
    "figure.constrained_layout.use": True,
    "svg.hashsalt": "frtsvm",
}


def panels(n_rows: int, n_columns: int, size: tuple[float, float], **options: Any) -> Any:
    """A figure and its axes, always as a two-dimensional array."""
    mpl.rcParams.update(_SETTINGS)
    return plt.subplots(n_rows, n_columns, figsize=size, squeeze=False, **options)


def save(figure: Any, path: Path) -> Path:
    """Write the figure without the date, so that the same results give the same file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)
    return path
