"""Newton's method for logistic regression, compared with a general minimizer."""

import numpy as np
import pytest
from scipy.optimize import minimize

from frtsvm_core.model_selection.logistic import fit_logistic, smoothed_targets


@pytest.mark.parametrize("seed", range(5))
def test_it_finds_the_minimum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    design = np.c_[rng.normal(size=(80, 2)), np.ones(80)]
    positive = design @ [2.0, -1.0, 0.5] + rng.logistic(size=80) > 0.0
    weight = rng.uniform(0.1, 3.0, 80)
    targets = smoothed_targets(positive, weight)
    start, ridge = np.array([1.0, 1.0, 0.0]), np.array([5.0, 0.5, 0.0])

    def loss(theta: np.ndarray) -> float:
        logits = design @ theta
        fit = weight @ (np.logaddexp(0.0, logits) - targets * logits)
        return float(fit + 0.5 * ridge @ (theta - start) ** 2)

    reference = minimize(loss, start, method="BFGS", options={"gtol": 1e-9})
    found = fit_logistic(design, targets, weight, start, ridge)
    np.testing.assert_allclose(found, reference.x, atol=1e-5)
    assert loss(found) <= reference.fun + 1e-12 * abs(reference.fun)


def test_separable_classes_give_finite_coefficients() -> None:
    x = np.r_[np.linspace(-2.0, -1.0, 20), np.linspace(1.0, 2.0, 20)]
    positive = x > 0.0
    targets = smoothed_targets(positive, np.ones(40))
    found = fit_logistic(np.c_[x, np.ones(40)], targets, np.ones(40), np.zeros(2))
    assert 1.0 < found[0] < 10.0
