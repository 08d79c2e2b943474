"""What several stages say together."""

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
    """Points by their c1, with their scores; None is not tried yet."""
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


def test_only_what_was_tried_on_the_same_rows_is_compared() -> None:
    assert places([stage(60, {0.0: 0.9}), stage(90, {1.0: 0.8})]) == [1.0]
    assert places([stage(60, {0.0: 0.9}), stage(60, {1.0: 0.8})]) == [0.0, 1.0]


def test_a_stage_that_hardly_began_does_not_decide() -> None:
    hardly = stage(90, {1.0: 0.99, 2.0: None, 3.0: None})
    assert places([stage(60, {0.0: 0.9}), hardly]) == [0.0]
    # On rows where another stage was complete, its scores count.
    begun = stage(90, {4.0: 0.7, 5.0: None, 6.0: None})
    assert places([stage(60, {0.0: 0.9}), stage(90, {1.0: 0.8}), begun]) == [1.0, 4.0]


def test_luck_does_not_come_twice() -> None:
    first = stage(60, {-20.0: 0.90, 0.0: 0.95, 20.0: 0.80})
    assert winner([first]) == at(0.0)
    again = stage(60, {-20.0: 0.90, 0.0: 0.82}, repeats=True)
    assert winner([first, again]) == at(-20.0)


def test_only_those_tried_again_can_win_and_only_if_all_were() -> None:
    first = stage(60, {-20.0: 0.90, 0.0: 0.95})
    assert winner([first, stage(60, {-20.0: 0.5}, repeats=True)]) == at(-20.0)
    assert winner([first, stage(60, {-20.0: 0.99, 0.0: None}, repeats=True)]) == at(0.0)


def test_another_mu_wins_if_it_is_better_on_the_same_folds() -> None:
    first = stage(60, {0.0: 0.9})
    for score, expected in [(0.9, 0.1), (0.91, 0.3)]:
        other = stage(60, {0.0: 0.9, 1.0: score})
        other.points[1] = replace(at(0.0), mu=0.3)
        assert winner([first, replace(other, varies_trust=True)]).mu == expected
    assert pool([first, replace(other, varies_trust=True)]) == first.tried()


def test_another_mu_has_to_be_better_on_all_folds_together() -> None:
    first = stage(60, {0.0: 0.9})
    for scores, expected in [((0.95, 0.8), 0.1), ((0.95, 0.86), 0.3)]:
        others = [stage(60, {0.0: 0.9, 1.0: score}) for score in scores]
        for other in others:
            other.points[1] = replace(at(0.0), mu=0.3)
        assert winner([first, *(replace(o, varies_trust=True) for o in others)]).mu == expected


def test_mu_are_compared_only_if_all_were_tried() -> None:
    first = stage(60, {0.0: 0.9})
    begun = replace(stage(60, {0.0: 0.9, 1.0: 0.95, 2.0: None}), varies_trust=True)
    assert winner([first, begun]) == at(0.0)
