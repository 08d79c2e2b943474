"""The percentage and the details that a training reports."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from app.pipeline.progress import Progress


def test_the_percentage_never_decreases_and_leaves_room_for_saving() -> None:
    seen: list[dict[str, Any]] = []
    progress = Progress(3, 1e-3, seen.append)
    for fit in range(3):
        progress.next_fit(f"fit {fit}")
        for sweep in range(1, 8):
            for plane in (0, 1):  # planes are solved in parallel
                violation = 10.0 ** (1 - sweep) * (1 + plane)
                gap = violation / 2 if sweep % 2 else None  # it is not computed after every sweep
                progress.sweep(
                    SimpleNamespace(
                        plane=plane, n_planes=2, sweep=sweep, violation=violation, relative_gap=gap
                    )
                )
    percents = [event["percent"] for event in seen]
    assert percents == sorted(percents)
    assert percents[0] >= 0
    assert 90 <= percents[-1] <= 96
    assert seen[-1]["violation"] == 2e-6
    assert seen[-3]["gap"] == seen[-5]["gap"] == 2e-4 / 2  # that of sweep 5, also after sweep 6


def test_a_search_counts_as_several_fits_and_its_results_are_kept() -> None:
    seen: list[dict[str, Any]] = []
    progress = Progress(1, 1e-3, seen.append, n_searches=1)
    progress.next_search("searching")
    for done in (0.2, 0.7, 0.5, 1.0):
        progress.search(done, {"tried": done})
    assert [event["percent"] for event in seen] == sorted(event["percent"] for event in seen)
    assert seen[-1]["percent"] > 80
    progress.next_fit("training")
    assert seen[-1]["search"] == {"tried": 1.0}  # the results are reported until the end


def test_a_search_inside_a_validation_does_not_replace_the_results() -> None:
    seen: list[dict[str, Any]] = []
    progress = Progress(2, 1e-3, seen.append, n_searches=2)
    progress.next_search("searching")
    progress.search(1.0, {"tried": 4, "seconds_left": 2.0})
    progress.next_search("validating 1/1", shown=False)
    progress.search(0.5, {"tried": 16, "seconds_left": 1.0})
    assert seen[-1]["search"] == {"tried": 4, "seconds_left": 1.0}


def test_steps_before_the_planes_have_no_violation() -> None:
    seen: list[dict[str, Any]] = []
    progress = Progress(1, 1e-3, seen.append)
    progress.next_fit("training")
    progress.sweep(
        SimpleNamespace(plane=0, n_planes=2, sweep=0, violation=float("inf"), relative_gap=None)
    )
    assert "gap" not in seen[-1]
