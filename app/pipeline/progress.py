"""Progress of a training job in percent, from the reports of the solver and the search."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

Report = Callable[[dict[str, Any]], None]

#: Percentages at which the first fit starts and the last fit ends.
BEFORE, AFTER = 2.0, 95.0
#: Assumed duration of a search, in fits.
SEARCH_WEIGHT = 9.0


class Progress:
    """Computes a percentage that never decreases.

    The number of sweeps that a plane needs is not known in advance. Violations decrease roughly
    geometrically, so the share of a plane is the progress of its violation towards the tolerance on
    a logarithmic scale.
    """

    def __init__(self, n_fits: int, tol: float, report: Report, n_searches: int = 0) -> None:
        self._total = n_fits + SEARCH_WEIGHT * n_searches
        self._tol = tol
        self._report = report
        self._before = 0.0
        self._weight = 0.0
        self._phase = "preparing"
        self._percent = 0.0
        self._search: dict[str, Any] = {}
        self._shown = False
        self._first: dict[int, float] = {}
        self._done: dict[int, float] = {}
        self._gaps: dict[int, float] = {}

    def phase(self, name: str, percent: float | None = None) -> None:
        """Start a step that is not a fit."""
        self._phase = name
        self._emit(percent if percent is not None else self._percent)

    def next_fit(self, phase: str) -> None:
        """Start the next fit."""
        self._first, self._done, self._gaps = {}, {}, {}
        self._next(phase, 1.0)

    def next_search(self, phase: str, *, shown: bool = True) -> None:
        """Start the next search. With `shown=False`, as in a validation, its results are hidden."""
        self._shown = shown
        self._next(phase, SEARCH_WEIGHT)

    def search(self, done: float, details: dict[str, Any]) -> None:
        """Report the share of the search that is done, and its results, shown until the end."""
        if self._shown:
            self._search = {"search": details}
        elif self._search:  # keep the results of the search for the model, but update the time
            now = {"seconds_left": details["seconds_left"]}
            self._search = {"search": {**self._search["search"], **now}}
        self._emit(self._share(done))

    def sweep(self, event: Any) -> None:
        """Report one sweep; the callback of the estimator. Planes may be interleaved."""
        violation = float(event.violation)
        if not math.isfinite(violation):  # a step of the estimator before the planes
            self._emit(self._percent)
            return
        first = self._first.setdefault(event.plane, violation)
        self._done[event.plane] = self._closeness(first, violation)
        if event.relative_gap is not None:
            self._gaps[event.plane] = float(event.relative_gap)
        within = sum(self._done.values()) / max(1, event.n_planes)
        self._emit(
            self._share(within),
            plane=int(event.plane),
            n_planes=int(event.n_planes),
            sweep=int(event.sweep),
            violation=violation,
            gap=self._gaps.get(event.plane),
        )

    def _closeness(self, first: float, violation: float) -> float:
        if violation <= self._tol:
            return 1.0
        if first <= self._tol:
            return 0.0
        distance = math.log(first / self._tol)
        return min(1.0, max(0.0, math.log(first / violation) / distance))

    def _next(self, phase: str, weight: float) -> None:
        self._phase = phase
        self._before += self._weight
        self._weight = weight
        self._emit(self._share(0.0))

    def _share(self, within: float) -> float:
        done = self._before + self._weight * min(1.0, within)
        return BEFORE + (AFTER - BEFORE) * done / self._total

    def _emit(self, percent: float, **details: Any) -> None:
        self._percent = max(self._percent, min(percent, 100.0))
        self._report(
            {
                "phase": self._phase,
                "percent": round(self._percent, 1),
                **self._search,
                **details,
            }
        )
