"""Coordinate descent and active-set steps together."""

import numpy as np
import pytest

from frtsvm_core.solvers.box_qp import solve_box_qp
from tests.frtsvm_core.problems import box_problem


def solve(rows, bound, **options):
    defaults = {"tol": 1e-3, "max_sweeps": 1000, "shrinking": True}
    return solve_box_qp(rows, bound, rng=np.random.default_rng(0), **(defaults | options))


def relative_gap(rows, bound, solution):
    primal = 0.5 * solution.v @ solution.v + bound @ np.maximum(0.0, 1.0 - rows @ solution.v)
    return (primal - (solution.alpha.sum() - 0.5 * solution.v @ solution.v)) / primal


@pytest.mark.parametrize("shape", [(300, 8), (20, 50), (1, 1), (2, 3)])
def test_solved_to_rounding_errors_at_the_default_tolerance(shape):
    rows, bound = box_problem(0, *shape)
    solution = solve(rows, bound)
    assert solution.converged
    assert relative_gap(rows, bound, solution) < 1e-12


def test_ill_conditioned_problem_needs_few_sweeps():
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(500, 40)) * np.logspace(1, -4, 40)
    bound = 10 * rng.random(500)
    solution = solve(rows, bound)
    assert solution.converged
    assert solution.n_sweeps <= 150
    assert solution.n_newton_steps > 0
    assert relative_gap(rows, bound, solution) < 1e-12


def test_sweeps_are_numbered_through_all_rounds():
    rng = np.random.default_rng(3)
    rows, bound = rng.normal(size=(60, 900)), np.full(60, 1e6)
    seen = []
    solve(rows, bound, tol=1e-300, max_sweeps=120, callback=lambda s: seen.append(s.number))
    assert seen == list(range(1, len(seen) + 1))


def test_sweep_limit_is_kept_and_reported():
    rows, bound = box_problem(0, 300, 8)
    solution = solve(rows, bound, tol=1e-12, max_sweeps=3)
    assert solution.n_sweeps == 3
    assert not solution.converged


def test_bounds_of_zero_give_the_solution_zero():
    rows, _ = box_problem(0, 10, 3)
    solution = solve(rows, np.zeros(10))
    assert solution.converged
    np.testing.assert_array_equal(solution.alpha, 0.0)
    np.testing.assert_array_equal(solution.v, 0.0)
