"""TSVMClassifier: the formulas of Jayadeva et al. with their ridge."""

import numpy as np
import pytest
from scipy.optimize import minimize

from frtsvm_core import FRTSVMClassifier, TSVMClassifier
from tests.frtsvm_core.problems import two_clouds


def solve_published_dual(own, other, c, ridge):
    """Solve max e'a - 1/2 a'G(H'H + ridge I)^-1G'a over 0 <= a <= c; return the plane."""
    h = np.hstack([own, np.ones((len(own), 1))])
    g = np.hstack([other, np.ones((len(other), 1))])
    inverse = np.linalg.inv(h.T @ h + ridge * np.eye(h.shape[1]))
    q = g @ inverse @ g.T
    result = minimize(
        lambda a: (0.5 * a @ q @ a - a.sum(), q @ a - 1.0),
        np.zeros(len(other)),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, c)] * len(other),
        options={"maxiter": 50_000, "maxfun": 100_000, "ftol": 1e-16, "gtol": 1e-10},
    )
    return inverse @ g.T @ result.x


@pytest.mark.parametrize("c1", [0.1, 1.0])
def test_planes_equal_the_published_formulas(c1):
    x, y = two_clouds(0)
    model = TSVMClassifier("linear", c1=c1, tol=1e-9).fit(x, y)
    plus = -solve_published_dual(x[y == 1], x[y == 0], c1, 0.01)
    minus = solve_published_dual(x[y == 0], x[y == 1], c1, 0.01)
    found = np.hstack([model.coef_, model.intercept_[:, None]])
    np.testing.assert_allclose(found[1], plus, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(found[0], minus, rtol=1e-4, atol=1e-6)


def test_with_a_negligible_ridge_it_equals_frtsvm_without_memberships():
    """Both models differ only in whether the bias is regularized."""
    x, y = two_clouds(0)
    ridge = 1e-9
    tsvm = TSVMClassifier("linear", c1=2.0, ridge=ridge, tol=1e-9).fit(x, y)
    frtsvm = FRTSVMClassifier("linear", c1=ridge, c3=2.0, membership="none", tol=1e-9).fit(x, y)
    np.testing.assert_allclose(tsvm.distances(x), frtsvm.distances(x), rtol=1e-6, atol=1e-8)


def test_costs_belong_to_the_planes_as_in_the_paper():
    """c1 is the slack cost of plane +, c2 that of plane -."""
    x, y = two_clouds(0)
    both = TSVMClassifier("linear", c1=0.1, c2=3.0, tol=1e-9).fit(x, y)
    first = TSVMClassifier("linear", c1=0.1, tol=1e-9).fit(x, y)
    second = TSVMClassifier("linear", c1=3.0, tol=1e-9).fit(x, y)
    np.testing.assert_allclose(both.coef_[1], first.coef_[1], rtol=1e-8)
    np.testing.assert_allclose(both.coef_[0], second.coef_[0], rtol=1e-8)


def test_memberships_are_all_one():
    x, y = two_clouds(0)
    model = TSVMClassifier().fit(x, y)
    np.testing.assert_array_equal(model.memberships_, 1.0)
    assert not model.suspected_noise_.any()
    assert model.duality_gap_.max() < 1e-10
