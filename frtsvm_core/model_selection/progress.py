"""Progress callbacks of a search, and how a callback stops it."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


class StopSearch(Exception):
    """Raise it in a callback to stop the search and keep the best candidate so far."""


@dataclass(frozen=True)
class SearchProgress:
    """Argument of the callback of a search.

    Attributes
    ----------
    phase : {"search", "calibration", "refit"}
        Current phase.
    tried : int
        Number of candidates that have been evaluated on all folds.
    total : int
        Number of candidates planned so far; with search="auto" it grows from stage to stage.
    best_score : float or None
        Best mean score so far; None before the first one.
    best_params : mapping or None
        Parameters of the candidate with the best score.
    seconds : float
        Seconds since the search began.
    seconds_left : float or None
        Estimated seconds that the planned candidates still need, but at most the rest of the time
        budget. None for a grid before the first candidate has been evaluated.
    """

    phase: str
    tried: int
    total: int
    best_score: float | None
    best_params: Mapping[str, Any] | None
    seconds: float
    seconds_left: float | None


SearchCallback = Callable[[SearchProgress], None]


class OutOfTime(Exception):
    """The time for the search is over."""


class Reporter:
    """Counts candidates, records the best one, calls the callback and measures the time."""

    def __init__(self, callback: SearchCallback | None, budget: float | None = None) -> None:
        self._callback, self._budget = callback, budget
        self._began = time.perf_counter()
        self._tried = self._total = 0
        self._best_score: float | None = None
        self._best_params: Mapping[str, Any] | None = None

    @property
    def seconds(self) -> float:
        """Seconds since the search began."""
        return time.perf_counter() - self._began

    @property
    def remaining(self) -> float:
        """Seconds left of the time budget; infinite without one."""
        return math.inf if self._budget is None else self._budget - self.seconds

    def plan(self, n_candidates: int) -> None:
        """Add candidates to the number of planned ones."""
        self._total += n_candidates

    def record(self, score: float, params: Mapping[str, Any]) -> None:
        """Count an evaluated candidate; the first of the highest scores is the best."""
        self._tried += 1
        if not math.isnan(score) and (self._best_score is None or score > self._best_score):
            self._best_score, self._best_params = score, params

    def notify(self, phase: str) -> None:
        """Call the callback; StopSearch from it has an effect only in the phase "search"."""
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
