"""Convergence curves and membership histograms of a fit, of bounded size."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

#: Maximum number of points of a curve. When it is reached, every second point is dropped.
MAX_POINTS = 200
#: Number of equal bins of memberships between 0 and 1.
N_BINS = 20


class SweepObserver(Protocol):
    """Receives the sweeps of the solver."""

    def sweep(self, event: Any) -> None:
        """Receive one sweep of one plane."""


class RecordedSweeps:
    """Records the sweeps after which the duality gap was computed, and forwards all sweeps."""

    def __init__(self, observer: SweepObserver) -> None:
        self._observer = observer
        self._planes: dict[int, _Curve] = {}

    def sweep(self, event: Any) -> None:
        """Receive one sweep; the callback of the estimator."""
        if event.relative_gap is not None:
            curve = self._planes.setdefault(int(event.plane), _Curve())
            curve.add(_Point(int(event.sweep), float(event.violation), float(event.relative_gap)))
        self._observer.sweep(event)

    def curves(self) -> list[dict[str, Any]]:
        """Return sweep numbers, KKT violations and relative gaps of each plane, by plane."""
        return [{"plane": plane, **self._planes[plane].columns()} for plane in sorted(self._planes)]


class _Point(NamedTuple):
    sweep: int
    violation: float
    gap: float


class _Curve:
    """Points of a curve, thinned out when there are too many; the latest one is always kept."""

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
    """Count the rows of each class in equal bins of their membership."""
    return [
        np.histogram(memberships[codes == code], N_BINS, (0.0, 1.0))[0].tolist()
        for code in range(n_classes)
    ]
