"""Calibration curves fitted to scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from frtsvm_core.model_selection.calibration_fitting import (
    fit_calibration,
    fit_isotonic,
    fit_sigmoid,
)
from frtsvm_core.model_selection.reliability import brier_score

FloatArray = NDArray[np.float64]


def scored(seed: int, n_rows: int = 400) -> tuple[FloatArray, NDArray[np.bool_], FloatArray]:
    """Scores whose true probability is expit(3 s - 0.5)."""
    rng = np.random.default_rng(seed)
    scores = rng.standard_normal(n_rows)
    positive = rng.uniform(size=n_rows) < expit(3.0 * scores - 0.5)
    return scores, positive, np.ones(n_rows)


def test_the_sigmoid_recovers_the_true_parameters() -> None:
    curve = fit_sigmoid(*scored(0, 50_000))
    assert curve.slope == pytest.approx(3.0, rel=0.05)
    assert curve.offset == pytest.approx(-0.5, abs=0.05)


def test_the_sigmoid_is_logistic_regression_on_platts_targets() -> None:
    """A target t is equivalent to one row of each label, with weights t and 1 - t."""
    scores, positive, weight = scored(1)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, scores.size)
    n_positive, n_negative = weight[positive].sum(), weight[~positive].sum()
    targets = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    reference = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(
        np.concatenate([scores, scores])[:, None],
        np.repeat([1, 0], scores.size),
        sample_weight=np.concatenate([weight * targets, weight * (1.0 - targets)]),
    )
    curve = fit_sigmoid(scores, positive, weight)
    assert curve.slope == pytest.approx(reference.coef_[0, 0], rel=1e-4)
    assert curve.offset == pytest.approx(reference.intercept_[0], rel=1e-3, abs=1e-4)


@given(st.floats(1e-100, 1e100))
def test_the_sigmoid_does_not_depend_on_the_unit_of_the_scores(unit: float) -> None:
    scores, positive, weight = scored(2, 60)
    expected = fit_sigmoid(scores, positive, weight)(scores)
    found = fit_sigmoid(scores * unit, positive, weight)(scores * unit)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_almost_infinite_scores_give_finite_curves() -> None:
    scores, positive, weight = scored(3)
    scores[0] = 1e200 if positive[0] else -1e200
    curve = fit_sigmoid(scores, positive, weight)
    assert 1.0 < curve.slope < 6.0
    assert np.isfinite(curve(scores)).all()


def test_separated_scores_give_finite_curves() -> None:
    scores = np.concatenate([-np.ones(20), np.ones(20)])
    curve = fit_sigmoid(scores, scores > 0.0, np.ones(40))
    # Platt's targets keep the maximum-likelihood parameters finite.
    assert curve(np.array([1.0]))[0] == pytest.approx(21.0 / 22.0, abs=1e-6)


def test_isotonic_equals_scikit_learn_and_is_monotonic() -> None:
    scores, positive, weight = scored(4)
    curve = fit_isotonic(scores, positive, weight)
    grid = np.linspace(-5.0, 5.0, 1001)
    expected = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(scores, positive)
    np.testing.assert_allclose(curve(grid), expected.predict(grid))
    assert (np.diff(curve(grid)) >= 0.0).all()


def test_the_brier_score_is_cross_validated() -> None:
    """Isotonic curves fit noise: the score on their own rows is far too optimistic."""
    rng = np.random.default_rng(0)
    scores, codes = rng.standard_normal(60), rng.integers(0, 2, 60)
    calibration = fit_calibration(scores, codes, np.arange(60) % 5, method="isotonic")
    assert calibration.brier is not None
    assert calibration.brier > brier_score(calibration.probabilities(scores), codes) + 0.02


def test_unknown_methods_are_rejected() -> None:
    scores, positive, _ = scored(5, 50)
    with pytest.raises(ValueError, match="method must be one of"):
        fit_calibration(scores, positive.astype(np.intp), np.arange(50) % 5, method="magic")
