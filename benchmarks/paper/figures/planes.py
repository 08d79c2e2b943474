"""Decision boundaries in two dimensions, with both planes of the twin methods."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.paper.figures import style
from benchmarks.paper.methods.fitting import fit_and_score
from benchmarks.paper.methods.registry import KERNEL_TITLES, METHODS, PAPER_METHODS
from benchmarks.paper.methods.rows import FloatArray, Rows

STEPS = 220
_CLIPPED = 8.0  # f is clipped to +-8, which does not move its zero line

Raster = tuple[FloatArray, FloatArray]
# One row of panels: suffix of the titles, kernel, training rows, test rows, parameters by method.
Line = tuple[str, str, Rows, Rows, dict[str, dict[str, float]]]


def draw_boundaries(lines: Sequence[Line], path: Path, limits: tuple[float, ...]) -> Path:
    """Draw one row of panels per `Line`, one column per method of the paper."""
    figure, axes = style.panels(
        len(lines), len(PAPER_METHODS), (10.5, 2.7 * len(lines)), sharex=True, sharey=True
    )
    raster = rastered(limits)
    for (title, kernel, train, test, params), row in zip(lines, axes, strict=True):
        for method, axis in zip(PAPER_METHODS, row, strict=True):
            if method not in params:
                axis.set_axis_off()
                continue
            fitted = fit_and_score(method, kernel, params[method], train, test)
            draw_rows(axis, train)
            draw_lines(axis, fitted.estimator, raster)
            axis.set_title(
                f"{METHODS[method].title}, {KERNEL_TITLES[kernel]}{title}: {fitted.accuracy:.1f} %"
            )
            axis.set(xlim=limits[:2], ylim=limits[2:])
    return style.save(figure, path)


def rastered(limits: tuple[float, ...]) -> Raster:
    """Coordinates of a regular raster of points."""
    x1, x2 = np.meshgrid(np.linspace(*limits[:2], STEPS), np.linspace(*limits[2:], STEPS))
    return x1, x2


def draw_rows(axis: Any, rows: Rows, size: int = 12) -> None:
    for label, colour, marker in ((1, style.POSITIVE, "+"), (-1, style.NEGATIVE, "x")):
        x = rows.x[rows.y == label]
        axis.scatter(x[:, 0], x[:, 1], s=size, c=colour, marker=marker, linewidths=0.6, alpha=0.55)


def draw_lines(axis: Any, estimator: Any, raster: Raster) -> None:
    x1, x2 = raster
    places = np.stack([x1.ravel(), x2.ravel()], axis=1)
    decision = estimator.decision_function(places).reshape(x1.shape)
    axis.contour(x1, x2, decision, [0.0], colors="black", linewidths=1.4)
    if hasattr(estimator, "plane_model"):
        values = estimator.plane_model().values(places)
        for column, colour in ((1, style.POSITIVE), (0, style.NEGATIVE)):
            f = np.clip(values[:, column], -_CLIPPED, _CLIPPED).reshape(x1.shape)
            axis.contour(x1, x2, f, [0.0], colors=colour, linewidths=1.1, linestyles="dashed")
