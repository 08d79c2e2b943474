"""What a training leaves for plots: few numbers, whatever the number of rows and sweeps."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

#: Points of a curve at most; beyond them every second one is dropped.
MAX_POINTS = 200
#: Equal bins of memberships, from 0 to 1.
N_BINS = 20


class Watcher(Protocol):
    """Whoever is told about sweeps."""

    def sweep(self, event: Any) -> None:
        """One sweep of one plane."""


class RecordedSweeps:
    """Remembers the sweeps of a fit after which the gap was taken, and passes all of them on."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._planes: dict[int, _Curve] = {}

    def sweep(self, event: Any) -> None:
        """The callback of the estimator."""
        if event.relative_gap is not None:
            curve = self._planes.setdefault(int(event.plane), _Curve())
            curve.add(_Point(int(event.sweep), float(event.violation), float(event.relative_gap)))
        self._watcher.sweep(event)

    def curves(self) -> list[dict[str, Any]]:
        """Sweep numbers, violations and gaps of each plane, in the order of the planes."""
        return [{"plane": plane, **self._planes[plane].columns()} for plane in sorted(self._planes)]


class _Point(NamedTuple):
    sweep: int
    violation: float
    gap: float


class _Curve:
    """Points that are thinned out as they become too many; the latest is always kept."""

    def __init__(self) -> None:
        self._points: list[_Point] = []
        self._latest: _Point | None = None
        self._stride = 1
        self._seen = 0

    def add(self, point: _Point) -> None:
        self._latest = point
        if self._seen % self._stride == 0:
            self._points.append(point)
        self._seen += 1
        if len(self._points) >= MAX_POINTS:
            self._points = self._points[::2]
            self._stride *= 2

    def columns(self) -> dict[str, Any]:
        points = self._points
        if self._latest is not None and self._latest != points[-1]:
            points = [*points, self._latest]
        return {
            "sweeps": [point.sweep for point in points],
            "violations": [point.violation for point in points],
            "gaps": [point.gap for point in points],
        }


def membership_histograms(
    memberships: NDArray[np.float64], codes: NDArray[np.integer[Any]], n_classes: int
) -> list[list[int]]:
    """Rows of each class by membership."""
    return [
        np.histogram(memberships[codes == code], N_BINS, (0.0, 1.0))[0].tolist()
        for code in range(n_classes)
    ]
