"""How far a training is, from what the solver reports."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

Report = Callable[[dict[str, Any]], None]

#: Shares of the whole that the steps around the fits get, in percent.
BEFORE, AFTER = 2.0, 95.0


class Progress:
    """Turns (fit, plane, sweep, violation) into a percentage that never falls.

    Nobody knows how many sweeps a plane needs. Violations fall roughly geometrically, so the share
    of a plane is how far its violation has come, on a log scale, towards the tolerance.
    """

    def __init__(self, n_fits: int, tol: float, report: Report) -> None:
        self._n_fits = n_fits
        self._tol = tol
        self._report = report
        self._fit = 0
        self._phase = "preparing"
        self._percent = 0.0
        self._first: dict[int, float] = {}
        self._done: dict[int, float] = {}

    def phase(self, name: str, percent: float | None = None) -> None:
        """Begin a step that is not a fit."""
        self._phase = name
        self._emit(percent if percent is not None else self._percent)

    def next_fit(self, phase: str) -> None:
        """Begin the next fit."""
        self._phase = phase
        self._first, self._done = {}, {}
        self._emit(self._share(self._fit))
        self._fit += 1

    def sweep(self, event: Any) -> None:
        """The callback of the estimator; planes may come in any order, also mixed."""
        violation = float(event.violation)
        if not math.isfinite(violation):  # the estimator tells of a step before the planes
            self._emit(self._percent)
            return
        first = self._first.setdefault(event.plane, violation)
        self._done[event.plane] = self._closeness(first, violation)
        within = sum(self._done.values()) / max(1, event.n_planes)
        self._emit(
            self._share(self._fit - 1 + within),
            plane=int(event.plane),
            n_planes=int(event.n_planes),
            sweep=int(event.sweep),
            gap=violation,
        )

    def _closeness(self, first: float, violation: float) -> float:
        if violation <= self._tol:
            return 1.0
        if first <= self._tol:
            return 0.0
        way = math.log(first / self._tol)
        return min(1.0, max(0.0, math.log(first / violation) / way))

    def _share(self, fits_done: float) -> float:
        return BEFORE + (AFTER - BEFORE) * fits_done / self._n_fits

    def _emit(self, percent: float, **details: Any) -> None:
        self._percent = max(self._percent, min(percent, 100.0))
        self._report({"phase": self._phase, "percent": round(self._percent, 1), **details})
