"""The paper's Fig. 1 and 2: planes of TSVM and FR-TSVM, and memberships, on rows with wrong labels."""

from pathlib import Path
from typing import Any

from benchmarks.paper import artificial
from benchmarks.paper.experiments.geometry import TWINS
from benchmarks.paper.figures import style
from benchmarks.paper.figures.planes import draw_lines, draw_rows, rastered
from benchmarks.paper.methods.fitting import fit_and_score
from benchmarks.paper.methods.registry import METHODS
from frtsvm_core import FRTSVMClassifier

SEED = 0
_LIMITS = (-2.4, 2.4, -2.2, 2.4)


def draw_toy_planes(params: dict[str, dict[str, float]], path: Path) -> Path:
    """Draw one panel per method, with its tuned parameters; circles mark rows with wrong labels."""
    train, noisy, test = artificial.toy(SEED)
    figure, axes = style.panels(1, 2, (9.0, 3.8), sharex=True, sharey=True)
    raster = rastered(_LIMITS)
    for method, axis in zip(TWINS, axes[0], strict=True):
        fitted = fit_and_score(method, "linear", params[method], train, test)
        draw_rows(axis, train, size=34)
        _circles(axis, train.x[noisy])
        draw_lines(axis, fitted.estimator, raster)
        axis.set(xlim=_LIMITS[:2], ylim=_LIMITS[2:])
        axis.set_title(f"{METHODS[method].title}: {fitted.accuracy:.1f} % on rows without noise")
    return style.save(figure, path)


def draw_toy_memberships(path: Path) -> Path:
    """Draw the rows, each labeled with its membership."""
    train, noisy, _ = artificial.toy(SEED)
    model = FRTSVMClassifier("linear", random_state=0).fit(train.x, train.y)
    figure, axes = style.panels(1, 1, (7.5, 5.0))
    axis = axes[0, 0]
    draw_rows(axis, train, size=34)
    _circles(axis, train.x[noisy])
    for label, colour in ((1, style.POSITIVE), (-1, style.NEGATIVE)):
        own = train.y == label
        axis.scatter(*train.x[own].mean(axis=0), marker="*", s=160, c=colour, edgecolors="black")
        for place, membership in zip(train.x[own], model.memberships_[own], strict=True):
            axis.annotate(
                f"{membership:.2f}",
                place,
                xytext=(4, 3),
                textcoords="offset points",
                fontsize=7,
                color=colour,
            )
    axis.set(xlim=_LIMITS[:2], ylim=_LIMITS[2:])
    return style.save(figure, path)


def _circles(axis: Any, places: Any) -> None:
    axis.scatter(*places.T, s=110, facecolors="none", edgecolors="#566573", linewidths=0.9)
