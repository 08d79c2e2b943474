"""A line chart of scores over one parameter, with their standard deviation over the folds."""

from __future__ import annotations

from app.plots.axes import Axis, format_number, padded, padded_logarithmic
from app.plots.svg import element, line, number, text, tooltip
from frtsvm_core.model_selection.score_profiles import ScoreProfile

LEFT, RIGHT, TOP, BOTTOM = 84.0, 608.0, 84.0, 376.0
CAP = 5.0


def line_chart(profile: ScoreProfile, best: float | None, scoring: str) -> list[str]:
    """Return the elements: the best score of each value, ± one standard deviation.

    The value `best` is marked.
    """
    values, scores = profile.values.tolist(), profile.score.tolist()
    above = [score + std for score, std in zip(scores, profile.std.tolist(), strict=True)]
    below = [score - std for score, std in zip(scores, profile.std.tolist(), strict=True)]
    logarithmic = values[0] > 0 and values[-1] / values[0] > 3.0
    x = Axis(
        *(
            padded_logarithmic(values[0], values[-1])
            if logarithmic
            else padded(values[0], values[-1])
        ),
        LEFT,
        RIGHT,
        logarithmic=logarithmic,
    )
    y = Axis(*padded(min(below), max(above)), BOTTOM, TOP)
    parts = _grid(x, y, profile.parameter, scoring)
    outline = [(value, score) for value, score in zip(values, above, strict=True)]
    outline += reversed(list(zip(values, below, strict=True)))
    parts.append(element("path", d=_path(outline, x, y) + "Z", class_="band"))
    parts.append(
        element("path", d=_path(list(zip(values, scores, strict=True)), x, y), class_="line")
    )
    for value, score, low, high in zip(values, scores, below, above, strict=True):
        at = x.place(value)
        parts.append(line(at, y.place(low), at, y.place(high), "bar"))
        parts += [
            line(at - CAP, y.place(end), at + CAP, y.place(end), "bar") for end in (low, high)
        ]
        words = f"{profile.parameter} = {format_number(value)}: {score:.4f} ± {high - score:.4f}"
        parts.append(
            element("circle", tooltip(words), cx=at, cy=y.place(score), r=4.5, class_="dot")
        )
        if value == best:
            parts.append(element("circle", cx=at, cy=y.place(score), r=9, class_="best"))
    return parts


def _grid(x: Axis, y: Axis, parameter: str, scoring: str) -> list[str]:
    parts = []
    for value in y.ticks():
        at = y.place(value)
        parts.append(line(LEFT, at, RIGHT, at, "rule"))
        parts.append(text(LEFT - 10, at + 4, format_number(value), text_anchor="end"))
    for value in x.ticks():
        at = x.place(value)
        parts.append(line(at, BOTTOM, at, BOTTOM + 5, "axis"))
        parts.append(text(at, BOTTOM + 20, format_number(value), text_anchor="middle"))
    parts.append(line(LEFT, BOTTOM, RIGHT, BOTTOM, "axis"))
    middle = (TOP + BOTTOM) / 2.0
    parts.append(
        text((LEFT + RIGHT) / 2.0, BOTTOM + 44, parameter, text_anchor="middle", class_="soft")
    )
    turned = f"rotate(-90 28 {middle:g})"
    words = scoring.replace("_", " ")
    parts.append(text(28, middle, words, text_anchor="middle", transform=turned, class_="soft"))
    return parts


def _path(points: list[tuple[float, float]], x: Axis, y: Axis) -> str:
    places = [f"{number(x.place(value))} {number(y.place(score))}" for value, score in points]
    return "M" + "L".join(places)
