"""Brier score and reliability table, compared with scikit-learn and with values by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from frtsvm_core.model_selection.reliability import brier_score, reliability_table


def random_probabilities(n_rows: int, n_classes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n_classes)
    return (
        rng.dirichlet(np.ones(n_classes), n_rows),
        rng.integers(0, n_classes, n_rows),
        rng.uniform(0.1, 2.0, n_rows),
    )


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_brier_score_equals_that_of_scikit_learn(n_classes: int) -> None:
    probabilities, codes, weight = random_probabilities(200, n_classes)
    given_p = probabilities[:, 1] if n_classes == 2 else probabilities
    expected = brier_score_loss(codes, given_p, sample_weight=weight)
    assert brier_score(probabilities, codes, weight) == pytest.approx(expected, rel=1e-12)


def test_reliability_equals_the_calibration_curve_of_scikit_learn() -> None:
    probabilities, codes, _ = random_probabilities(500, 2)
    table = reliability_table(probabilities, codes)
    observed, predicted = calibration_curve(codes, probabilities[:, 1], n_bins=10)
    used = table.weight > 0.0
    np.testing.assert_allclose(table.observed[used], observed)
    np.testing.assert_allclose(table.predicted[used], predicted)


@given(st.integers(2, 4), st.integers(1, 60))
def test_every_row_is_in_one_bin_that_contains_the_mean(n_classes: int, n_rows: int) -> None:
    probabilities, codes, weight = random_probabilities(n_rows, n_classes)
    table = reliability_table(probabilities, codes, weight)
    assert table.weight.sum() == pytest.approx(weight.sum())
    used = table.weight > 0.0
    assert (table.lower[used] <= table.predicted[used] + 1e-12).all()
    assert (table.predicted[used] <= table.upper[used] + 1e-12).all()
    assert np.isnan(table.observed[~used]).all()
    assert 0.0 <= table.calibration_error <= 1.0


def test_certain_and_correct_probabilities_have_no_error() -> None:
    probabilities = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    codes = np.array([0, 1, 1])
    assert brier_score(probabilities, codes) == 0.0
    assert reliability_table(probabilities, codes).calibration_error == 0.0
    assert reliability_table(probabilities, 1 - codes).calibration_error == 1.0
