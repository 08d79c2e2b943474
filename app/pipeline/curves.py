"""What a training leaves for plots: few numbers, whatever the number of rows and sweeps."""

from __future__ import annotations

import math
from typing import Any, Protocol

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
    """Remembers the sweeps of a fit, and passes them on."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._planes: dict[int, _Curve] = {}

    def sweep(self, event: Any) -> None:
        """The callback of the estimator."""
        violation = float(event.violation)
        if math.isfinite(violation):
            self._planes.setdefault(int(event.plane), _Curve()).add(int(event.sweep), violation)
        self._watcher.sweep(event)

    def curves(self) -> list[dict[str, Any]]:
        """Sweep numbers and violations of each plane, in the order of the planes."""
        return [{"plane": plane, **self._planes[plane].points()} for plane in sorted(self._planes)]


class _Curve:
    """Points that are thinned out as they become too many; the latest is always kept."""

    def __init__(self) -> None:
        self._sweeps: list[int] = []
        self._violations: list[float] = []
        self._latest: tuple[int, float] | None = None
        self._stride = 1
        self._seen = 0

    def add(self, sweep: int, violation: float) -> None:
        self._latest = (sweep, violation)
        if self._seen % self._stride == 0:
            self._sweeps.append(sweep)
            self._violations.append(violation)
        self._seen += 1
        if len(self._sweeps) >= MAX_POINTS:
            self._sweeps, self._violations = self._sweeps[::2], self._violations[::2]
            self._stride *= 2

    def points(self) -> dict[str, Any]:
        sweeps, violations = self._sweeps, self._violations
        if self._latest is not None and self._latest[0] != sweeps[-1]:
            sweeps, violations = [*sweeps, self._latest[0]], [*violations, self._latest[1]]
        return {"sweeps": sweeps, "violations": violations}


def membership_histograms(
    memberships: NDArray[np.float64], codes: NDArray[np.integer[Any]], n_classes: int
) -> list[list[int]]:
    """Rows of each class by membership."""
    return [
        np.histogram(memberships[codes == code], N_BINS, (0.0, 1.0))[0].tolist()
        for code in range(n_classes)
    ]
