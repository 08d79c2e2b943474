"""The certificate: weak duality, formulas, and a problem with objective 0."""

import numpy as np
from hypothesis import given, settings

from frtsvm_core.solvers.box_qp import solve_box_qp
from frtsvm_core.twin.certificate import certify
from tests.frtsvm_core.problems import box_problem, seeds


def certificate(rows, bound, alpha):
    return certify(rows, bound, alpha, rows.T @ alpha, n_sweeps=1, converged=True)


@given(seed=seeds)
@settings(max_examples=50)
def test_gap_bounds_suboptimality(seed):
    """At any feasible point, primal - optimum <= gap and optimum - dual <= gap."""
    rows, bound = box_problem(seed, 30, 5)
    rng = np.random.default_rng(seed)
    anywhere = certificate(rows, bound, bound * rng.random(30))
    best = solve_box_qp(rows, bound, tol=1e-6, max_sweeps=5000, shrinking=True, rng=rng)
    optimum = certificate(rows, bound, best.alpha)
    assert optimum.relative_gap < 1e-9
    slack = 1e-9 * optimum.primal
    assert anywhere.gap >= 0
    assert -slack <= anywhere.primal - optimum.primal <= anywhere.gap + slack
    assert -slack <= optimum.dual - anywhere.dual <= anywhere.gap + slack


def test_formulas():
    rows, bound = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([0.5, 0.1])
    result = certificate(rows, bound, np.array([0.5, 0.05]))
    # v = (0.5, 0.1), margins 0.5 and 0.2
    assert result.primal == 0.5 * 0.26 + 0.5 * 0.5 + 0.1 * 0.8
    assert np.isclose(result.dual, 0.55 - 0.13)
    assert np.isclose(result.gap, result.primal - result.dual)
    assert np.isclose(result.relative_gap, result.gap / result.primal)
    # the second coordinate can increase, and its gradient is -0.8; the first is at its bound
    assert np.isclose(result.kkt_violation, 0.8)


def test_relative_gap_is_zero_if_the_objective_is_zero():
    result = certificate(np.ones((2, 1)), np.zeros(2), np.zeros(2))
    assert result.primal == result.dual == result.relative_gap == 0.0
