"""Convergence curves are bounded and keep their ends."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from app.pipeline.convergence import MAX_POINTS, N_BINS, RecordedSweeps, membership_histograms


class _Counting:
    def __init__(self) -> None:
        self.events: list[Any] = []

    def sweep(self, event: Any) -> None:
        self.events.append(event)


def _event(plane: int, sweep: int, violation: float, gap: float | None) -> SimpleNamespace:
    return SimpleNamespace(
        plane=plane, sweep=sweep, violation=violation, n_planes=2, relative_gap=gap
    )


def test_a_long_run_is_thinned_out_but_forwarded_completely() -> None:
    observer = _Counting()
    recorded = RecordedSweeps(observer)
    for sweep in range(1, 5001):
        recorded.sweep(_event(1, sweep, 1.0 / sweep, 0.5 / sweep))
        recorded.sweep(_event(0, sweep, np.inf, None))  # a step before the planes
    recorded.sweep(_event(0, 1, 0.5, 0.25))
    first, second = recorded.curves()
    assert len(observer.events) == 10_001
    assert first == {"plane": 0, "sweeps": [1], "violations": [0.5], "gaps": [0.25]}
    assert second["plane"] == 1
    assert second["sweeps"][0] == 1
    assert second["sweeps"][-1] == 5000
    assert len(second["sweeps"]) <= MAX_POINTS + 1
    assert second["sweeps"] == sorted(set(second["sweeps"]))
    assert second["violations"] == [1.0 / sweep for sweep in second["sweeps"]]
    assert second["gaps"] == [0.5 / sweep for sweep in second["sweeps"]]


def test_histograms_count_every_row_of_its_class() -> None:
    memberships = np.array([0.0, 1e-10, 0.5, 1.0, 1.0])
    codes = np.array([0, 0, 1, 1, 0])
    one, two = membership_histograms(memberships, codes, 2)
    assert len(one) == N_BINS
    assert (one[0], one[-1], sum(one)) == (2, 1, 3)
    assert (two[N_BINS // 2], two[-1], sum(two)) == (1, 1, 2)
