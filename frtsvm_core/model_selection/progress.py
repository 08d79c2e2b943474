"""What a search tells its caller, and how the caller ends it."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


class StopSearch(Exception):
    """Raised by a callback: end the search now and keep the best candidate so far."""


@dataclass(frozen=True)
class SearchProgress:
    """What the callback of a search receives."""

    phase: str  # "search", "refit" or "calibration"
    tried: int  # candidates evaluated on every fold
    total: int  # candidates planned; a search that plans as it goes may raise it
    best_score: float | None
    best_params: Mapping[str, Any] | None
    seconds: float  # since the search began
    seconds_left: float | None  # an estimate, or what is left of the time budget; None at first


SearchCallback = Callable[[SearchProgress], None]


class OutOfTime(Exception):
    """The time budget is spent."""


class Reporter:
    """Counts candidates, remembers the best, and ends the search when its time is over."""

    def __init__(self, callback: SearchCallback | None, budget: float | None = None) -> None:
        self._callback, self._budget = callback, budget
        self._began = time.perf_counter()
        self._tried = self._total = 0
        self._best_score: float | None = None
        self._best_params: Mapping[str, Any] | None = None

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._began

    @property
    def remaining(self) -> float:
        """Seconds left of the budget."""
        return math.inf if self._budget is None else self._budget - self.seconds

    def plan(self, n_candidates: int) -> None:
        self._total += n_candidates

    def tried(self, score: float, params: Mapping[str, Any]) -> None:
        self._tried += 1
        if not math.isnan(score) and (self._best_score is None or score > self._best_score):
            self._best_score, self._best_params = score, params

    def tell(self, phase: str) -> None:
        """Call the callback. StopSearch passes through while there is a search to stop."""
        if self._callback is None:
            return
        progress = SearchProgress(
            phase,
            self._tried,
            self._total,
            self._best_score,
            self._best_params,
            self.seconds,
            self._seconds_left(),
        )
        try:
            self._callback(progress)
        except StopSearch:
            if phase == "search":
                raise

    def _seconds_left(self) -> float | None:
        at_this_pace = None
        if self._tried:
            at_this_pace = self.seconds * (self._total - self._tried) / self._tried
        if self._budget is None:
            return at_this_pace
        left = max(self.remaining, 0.0)
        return left if at_this_pace is None else min(left, at_this_pace)
