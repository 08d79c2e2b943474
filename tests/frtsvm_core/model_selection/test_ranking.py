"""Ranking by the scores of points and their neighborhood."""

from typing import Any

import numpy as np

from frtsvm_core.model_selection.ranking import first_of_each, ranking
from frtsvm_core.model_selection.results import Evaluation
from frtsvm_core.model_selection.space import Point


def evaluated(score: float) -> Evaluation:
    return Evaluation({}, np.array([score]), np.zeros(1), np.zeros(1))


def at(c1: float, c3: float, **other: Any) -> Point:
    values = {"kernel": "rbf", "gamma_power": 0.0, "membership": "none", "mu": 0.1, "rank": None}
    return Point(c1_power=c1, c3_power=c3, **{**values, **other})


def test_a_good_region_beats_a_lucky_point() -> None:
    plateau = [(at(c1, c3), evaluated(0.90)) for c1 in (0.0, 1.0) for c3 in (0.0, 1.0)]
    around = [(at(c1, 8.0), evaluated(0.80)) for c1 in (7.0, 9.0)]
    lucky = (at(8.0, 8.0), evaluated(0.91))
    assert ranking([lucky, *around, *plateau])[0] in [point for point, _ in plateau]
    # A point wins that is better by more than its neighborhood is worse.
    excellent = (at(8.0, 8.0), evaluated(0.99))
    assert ranking([excellent, *around, *plateau])[0] == excellent[0]


def test_failures_rank_last_and_other_memberships_are_no_neighbors() -> None:
    failed = (at(0.0, 0.0), evaluated(np.nan))
    good = (at(0.0, 1.0), evaluated(0.9))
    bad = (at(0.0, 0.0, membership="center"), evaluated(0.1))
    assert ranking([failed, bad, good]) == [good[0], bad[0], failed[0]]


def test_of_equal_scores_the_point_nearest_to_the_units_wins() -> None:
    points = [at(c1, c3) for c1 in (-8.0, 0.0, 8.0) for c3 in (-8.0, 0.0, 8.0)]
    assert ranking([(point, evaluated(1.0)) for point in points])[0] == at(0.0, 0.0)


def test_the_first_of_each_keeps_the_order() -> None:
    points = [at(0.0, 0.0), at(1.0, 0.0), at(0.0, 1.0, membership="center"), at(2.0, 0.0)]
    found = first_of_each(points, lambda point: point.membership)
    assert found == [points[0], points[2]]
