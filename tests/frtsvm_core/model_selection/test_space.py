"""A point gives the same model for every unit of the features and every number of rows."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_moons

from frtsvm_core import FRTSVMClassifier
from frtsvm_core.model_selection.space import Point, Units, point_grid

POINT = Point("rbf", 0.0, 1.0, 2.0, "none", 0.1, None)
LINEAR = replace(POINT, kernel="linear", gamma_power=None)


def units_of(x: np.ndarray, penalty: str = "function") -> Units:
    return Units.of(x, penalty, np.random.default_rng(0))


@pytest.mark.parametrize("point", [POINT, LINEAR])
@pytest.mark.parametrize("membership", ["none", "center"])
@pytest.mark.parametrize("penalty", ["coefficients", "function"])
def test_costs_follow_the_number_of_rows(point: Point, membership: str, penalty: str) -> None:
    """Repeating every row three times, with the costs for as many rows, gives the same model."""
    x, y = make_moons(60, noise=0.3, random_state=0)
    point = replace(point, membership=membership)
    units = units_of(x, penalty)
    once = FRTSVMClassifier(**units.params(point, 60)).fit(x, y)
    thrice = FRTSVMClassifier(**units.params(point, 180)).fit(
        np.repeat(x, 3, axis=0), np.repeat(y, 3)
    )
    np.testing.assert_allclose(
        thrice.decision_function(x), once.decision_function(x), rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("point", [POINT, LINEAR])
def test_predictions_do_not_depend_on_the_unit_of_the_features(point: Point) -> None:
    x, y = make_moons(60, noise=0.3, random_state=0)
    here, there = (
        FRTSVMClassifier(**units_of(unit * x).params(point, 60)).fit(unit * x, y).predict(unit * x)
        for unit in (1.0, 1000.0)
    )
    np.testing.assert_array_equal(here, there)


def test_gamma_is_the_inverse_of_the_median_squared_distance() -> None:
    x = np.array([[0.0], [1.0], [3.0]])  # squared distances 1, 4, 9
    assert units_of(x).params(POINT, 3)["gamma"] == pytest.approx(0.25)


@pytest.mark.parametrize("x", [np.zeros((5, 2)), np.eye(5)[:, :1], np.ones((1, 3))])
def test_units_of_degenerate_data_are_positive(x: np.ndarray) -> None:
    units = units_of(x)
    assert units.gamma > 0.0
    assert units.variance > 0.0


def test_parameters_without_effect_are_left_out() -> None:
    params = units_of(np.eye(4)).params(LINEAR, 4)
    assert "gamma" not in params
    assert "rank" not in params
    assert "penalty" not in params


def test_a_grid_has_every_combination_once() -> None:
    points = point_grid([("rbf", 0.0), ("linear", None)], [0.0, 1.0], [2.0], [("none", 0.1)], 50)
    assert len(points) == len(set(points)) == 4
