"""Style shared by all figures."""

from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
from PIL import Image

POSITIVE, NEGATIVE = "#c0392b", "#2471a3"
# One color per method; no pair differs only in red and green.
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
SETTINGS: dict[str, Any] = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "savefig.dpi": 110,
    "figure.constrained_layout.use": True,
}

_COLOURS_KEPT = 96


def panels(n_rows: int, n_columns: int, size: tuple[float, float], **options: Any) -> Any:
    """Create a figure and a two-dimensional array of its axes."""
    mpl.rcParams.update(SETTINGS)
    return plt.subplots(n_rows, n_columns, figsize=size, squeeze=False, **options)


def save(figure: Any, path: Path) -> Path:
    """Write the figure as a small PNG.

    The palette is reduced and no date is stored, so that equal results give equal files.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    drawn = BytesIO()
    figure.savefig(drawn, metadata={"Software": None})
    plt.close(figure)
    Image.open(drawn).convert("RGB").quantize(_COLOURS_KEPT, dither=Image.Dither.NONE).save(
        path, optimize=True
    )
    return path
