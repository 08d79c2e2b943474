"""The choice of the best point over several stages."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from frtsvm_core.model_selection.fold import Rows
from frtsvm_core.model_selection.results import Evaluation
from frtsvm_core.model_selection.space import Point
from frtsvm_core.model_selection.stages import Stage, pool, winner


def at(c1: float) -> Point:
    return Point("rbf", 0.0, c1, 0.0, "none", 0.1, None)


def stage(n_rows: int, scores: dict[float, float | None], *, repeats: bool = False) -> Stage:
    """Return a stage with points of these c1 and scores; None means not evaluated yet."""
    points = [at(c1) for c1 in scores]
    found: Any = SimpleNamespace(
        evaluations={
            number: Evaluation({}, np.full(5, score), np.zeros(5), np.zeros(5))
            for number, score in enumerate(scores.values())
            if score is not None
        }
    )
    rows = Rows(np.zeros((n_rows, 1)), np.zeros(n_rows), None)
    return Stage(rows, [], points, found, repeats)


def places(stages: list[Stage]) -> list[float | None]:
    return [point.c1_power for point, _ in pool(stages)]


def test_only_points_on_the_same_rows_are_compared() -> None:
    assert places([stage(60, {0.0: 0.9}), stage(90, {1.0: 0.8})]) == [1.0]
    assert places([stage(60, {0.0: 0.9}), stage(60, {1.0: 0.8})]) == [0.0, 1.0]


def test_a_stage_less_than_half_complete_is_ignored() -> None:
    hardly = stage(90, {1.0: 0.99, 2.0: None, 3.0: None})
    assert places([stage(60, {0.0: 0.9}), hardly]) == [0.0]
    # Its scores count if another stage on the same rows was complete.
    begun = stage(90, {4.0: 0.7, 5.0: None, 6.0: None})
    assert places([stage(60, {0.0: 0.9}), stage(90, {1.0: 0.8}), begun]) == [1.0, 4.0]


def test_scores_on_fresh_folds_decide() -> None:
    first = stage(60, {-20.0: 0.90, 0.0: 0.95, 20.0: 0.80})
    assert winner([first]) == at(0.0)
    again = stage(60, {-20.0: 0.90, 0.0: 0.82}, repeats=True)
    assert winner([first, again]) == at(-20.0)


def test_only_repeated_points_can_win_if_all_repetitions_are_complete() -> None:
    first = stage(60, {-20.0: 0.90, 0.0: 0.95})
    assert winner([first, stage(60, {-20.0: 0.5}, repeats=True)]) == at(-20.0)
    assert winner([first, stage(60, {-20.0: 0.99, 0.0: None}, repeats=True)]) == at(0.0)


def test_another_mu_wins_only_if_it_is_better_on_the_same_folds() -> None:
    first = stage(60, {0.0: 0.9})
    for score, expected in [(0.9, 0.1), (0.91, 0.3)]:
        other = stage(60, {0.0: 0.9, 1.0: score})
        other.points[1] = replace(at(0.0), mu=0.3)
        assert winner([first, replace(other, varies_membership=True)]).mu == expected
    assert pool([first, replace(other, varies_membership=True)]) == first.tried()


def test_another_mu_must_be_better_on_the_mean_of_all_folds() -> None:
    first = stage(60, {0.0: 0.9})
    for scores, expected in [((0.95, 0.8), 0.1), ((0.95, 0.86), 0.3)]:
        others = [stage(60, {0.0: 0.9, 1.0: score}) for score in scores]
        for other in others:
            other.points[1] = replace(at(0.0), mu=0.3)
        assert winner([first, *(replace(o, varies_membership=True) for o in others)]).mu == expected


def test_mu_are_compared_only_if_all_were_evaluated() -> None:
    first = stage(60, {0.0: 0.9})
    begun = replace(stage(60, {0.0: 0.9, 1.0: 0.95, 2.0: None}), varies_membership=True)
    assert winner([first, begun]) == at(0.0)
