"""Progress reports of a search."""

import math

import pytest

from frtsvm_core.model_selection.progress import Reporter, SearchProgress, StopSearch


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr("frtsvm_core.model_selection.progress.time.perf_counter", lambda: now[0])
    return now


def test_the_time_left_is_estimated_from_the_pace(clock: list[float]) -> None:
    reports: list[SearchProgress] = []
    reporter = Reporter(reports.append)
    reporter.plan(10)
    reporter.notify("search")
    clock[0] = 4.0
    for _ in range(4):
        reporter.record(0.5, {})
    reporter.notify("search")
    assert [progress.seconds_left for progress in reports] == [None, 6.0]
    assert reporter.remaining == math.inf


def test_a_budget_bounds_the_time_left(clock: list[float]) -> None:
    reports: list[SearchProgress] = []
    reporter = Reporter(reports.append, budget=5.0)
    reporter.plan(10)
    reporter.notify("search")
    clock[0] = 4.0
    reporter.record(0.5, {})
    reporter.notify("search")
    clock[0] = 6.0
    reporter.notify("search")
    assert [progress.seconds_left for progress in reports] == [5.0, 1.0, 0.0]


def test_the_best_is_the_first_of_the_highest_and_never_a_failure() -> None:
    reports: list[SearchProgress] = []
    reporter = Reporter(reports.append)
    for score, name in [(math.nan, "failed"), (0.5, "a"), (0.7, "b"), (0.7, "c"), (0.1, "d")]:
        reporter.record(score, {"name": name})
    reporter.notify("search")
    assert reports[0].best_params == {"name": "b"}
    assert reports[0].best_score == 0.7
    assert reports[0].tried == 5


def test_stop_search_is_ignored_after_the_search() -> None:
    def stop(progress: SearchProgress) -> None:
        raise StopSearch

    reporter = Reporter(stop)
    reporter.notify("refit")
    with pytest.raises(StopSearch):
        reporter.notify("search")
