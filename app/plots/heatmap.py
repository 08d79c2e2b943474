"""A heat map of scores over two parameters, with smaller cells where the search was finer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.plots.axes import Axis, format_number
from app.plots.colours import colour
from app.plots.svg import element, line, text, tooltip
from frtsvm_core.model_selection.score_profiles import ScoreSurface

LEFT, RIGHT, TOP, BOTTOM = 84.0, 520.0, 76.0, 376.0
SCALE_LEFT, SCALE_RIGHT, SCALE_STEPS = 548.0, 564.0, 40

#: Half the width, in powers of two, of a cell without neighbors.
ALONE = 0.5


@dataclass(frozen=True)
class Layer:
    """The cells of one stage. Layers of later stages are drawn over those of earlier stages."""

    surface: ScoreSurface
    rows: NDArray[np.float64]
    columns: NDArray[np.float64]

    @classmethod
    def of(cls, surface: ScoreSurface) -> Layer:
        """Return a layer in which cells end midway between neighboring values."""
        return cls(surface, edges(surface.rows.values), edges(surface.columns.values))


def edges(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the boundaries of the cells of ascending positive values, midway in logarithms."""
    powers = np.log2(values)
    if powers.size == 1:
        ends = np.array([powers[0] - ALONE, powers[0] + ALONE])
    else:
        middles = (powers[1:] + powers[:-1]) / 2.0
        first, last = 2.0 * powers[0] - middles[0], 2.0 * powers[-1] - middles[-1]
        ends = np.concatenate([[first], middles, [last]])
    values_at: NDArray[np.float64] = np.exp2(ends)
    return values_at


def heatmap(
    surfaces: Sequence[ScoreSurface], best: tuple[float, float] | None, scoring: str
) -> list[str]:
    """Return the elements of the heat map.

    Rows of the surfaces go upwards, columns to the right. `best` is a (row, column) to mark.
    """
    layers = [Layer.of(surface) for surface in surfaces]
    x = Axis(
        min(layer.columns[0] for layer in layers),
        max(layer.columns[-1] for layer in layers),
        LEFT,
        RIGHT,
        logarithmic=True,
    )
    y = Axis(
        min(layer.rows[0] for layer in layers),
        max(layer.rows[-1] for layer in layers),
        BOTTOM,
        TOP,
        logarithmic=True,
    )
    scores = np.concatenate([layer.surface.score.ravel() for layer in layers])
    low, high = colour_range(scores[~np.isnan(scores)])
    parts = [cell for layer in layers for cell in _cells(layer, x, y, low, high)]
    parts.append(
        element("rect", x=LEFT, y=TOP, width=RIGHT - LEFT, height=BOTTOM - TOP, class_="frame")
    )
    rows, columns = surfaces[0].rows.parameter, surfaces[0].columns.parameter
    parts += _labels(x, y, rows, columns)
    if best is not None:
        across, up = x.place(best[1]), y.place(best[0])
        words = f"best: {rows} = {format_number(best[0])}, {columns} = {format_number(best[1])}"
        parts.append(element("circle", cx=across, cy=up, r=9, class_="halo"))
        parts.append(element("circle", tooltip(words), cx=across, cy=up, r=9, class_="best"))
    return parts + _scale(low, high, bool(scores[~np.isnan(scores)].min() < low), scoring)


def colour_range(scores: NDArray[np.float64]) -> tuple[float, float]:
    """Return the lowest and the highest score of the color scale.

    Scores far below the median get the color of the lowest one, so that differences among the best
    scores stay visible.
    """
    high, middle = float(scores.max()), float(np.median(scores))
    low = max(float(scores.min()), high - 4.0 * (high - middle))
    return (low, high) if low < high else (high - 0.01, high)


def _cells(layer: Layer, x: Axis, y: Axis, low: float, high: float) -> list[str]:
    rows, columns = layer.surface.rows, layer.surface.columns
    parts = []
    for i, j in np.argwhere(~np.isnan(layer.surface.score)).tolist():
        score = float(layer.surface.score[i, j])
        left, right = x.place(layer.columns[j]), x.place(layer.columns[j + 1])
        top, bottom = y.place(layer.rows[i + 1]), y.place(layer.rows[i])
        words = (
            f"{rows.parameter} = {format_number(rows.values[i])}, "
            f"{columns.parameter} = {format_number(columns.values[j])}: {score:.4f}"
        )
        parts.append(
            element(
                "rect",
                tooltip(words),
                x=left,
                y=top,
                width=right - left,
                height=bottom - top,
                fill=colour((score - low) / (high - low)),
                class_="cell",
            )
        )
    return parts


def _labels(x: Axis, y: Axis, rows: str, columns: str) -> list[str]:
    parts = []
    for value in x.ticks():
        at = x.place(value)
        parts.append(line(at, BOTTOM, at, BOTTOM + 5, "axis"))
        parts.append(text(at, BOTTOM + 20, format_number(value), text_anchor="middle"))
    for value in y.ticks():
        at = y.place(value)
        parts.append(line(LEFT - 5, at, LEFT, at, "axis"))
        parts.append(text(LEFT - 10, at + 4, format_number(value), text_anchor="end"))
    middle = (TOP + BOTTOM) / 2.0
    parts.append(
        text((LEFT + RIGHT) / 2.0, BOTTOM + 44, columns, text_anchor="middle", class_="soft")
    )
    turned = f"rotate(-90 28 {middle:g})"
    parts.append(text(28, middle, rows, text_anchor="middle", transform=turned, class_="soft"))
    return parts


def _scale(low: float, high: float, cut: bool, scoring: str) -> list[str]:
    axis = Axis(low, high, BOTTOM, TOP)
    step = (BOTTOM - TOP) / SCALE_STEPS
    parts = [
        element(
            "rect",
            x=SCALE_LEFT,
            y=BOTTOM - (k + 1) * step,
            width=SCALE_RIGHT - SCALE_LEFT,
            height=step + 0.5,
            fill=colour((k + 0.5) / SCALE_STEPS),
        )
        for k in range(SCALE_STEPS)
    ]
    for value in axis.ticks():
        at = axis.place(value)
        parts.append(line(SCALE_RIGHT, at, SCALE_RIGHT + 4, at, "axis"))
        parts.append(text(SCALE_RIGHT + 8, at + 4, format_number(value)))
    if cut:
        parts.append(
            text((SCALE_LEFT + SCALE_RIGHT) / 2.0, BOTTOM + 20, "or lower", text_anchor="middle")
        )
    parts.append(text(SCALE_LEFT, TOP - 10, scoring.replace("_", " "), class_="soft"))
    return parts
