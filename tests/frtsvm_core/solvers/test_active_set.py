"""Active-set method: optimality, repeated rows, limits."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from frtsvm_core.solvers.active_set import refine
from frtsvm_core.solvers.dual_cd import solve_dual
from tests.frtsvm_core.problems import box_problem, seeds


def rough(rows, bound, max_sweeps=5):
    return solve_dual(
        rows,
        bound,
        tol=1e-3,
        max_sweeps=max_sweeps,
        shrinking=True,
        rng=np.random.default_rng(0),
    ).alpha


def objective(rows, alpha):
    v = rows.T @ alpha
    return 0.5 * v @ v - alpha.sum()


def relative_gap(rows, bound, alpha):
    v = rows.T @ alpha
    primal = 0.5 * v @ v + bound @ np.maximum(0.0, 1.0 - rows @ v)
    return (primal - (alpha.sum() - 0.5 * v @ v)) / primal


@given(seed=seeds, n=st.integers(1, 80), p=st.integers(1, 20), scale=st.floats(0.01, 10))
@settings(max_examples=60)
def test_refinement_never_increases_the_objective_and_exact_is_true(seed, n, p, scale):
    rows, bound = box_problem(seed, n, p, scale)
    start = rough(rows, bound)
    refined = refine(rows, bound, start)
    assert (refined.alpha >= 0).all()
    assert (refined.alpha <= bound).all()
    before, after = objective(rows, start), objective(rows, refined.alpha)
    assert after <= before + 1e-9 * (1.0 + abs(before))
    if refined.exact:
        assert relative_gap(rows, bound, refined.alpha) < 1e-8


def test_one_round_of_sweeps_is_enough_for_an_ill_conditioned_problem():
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(500, 40)) * np.logspace(1, -4, 40)
    bound = 10 * rng.random(500)
    start = rough(rows, bound, max_sweeps=50)
    assert relative_gap(rows, bound, start) > 1e-6
    refined = refine(rows, bound, start)
    assert refined.exact
    assert relative_gap(rows, bound, refined.alpha) < 1e-12


def test_repeated_rows_are_handled():
    rows, bound = box_problem(1, 40, 5)
    rows, bound = np.repeat(rows, 3, axis=0), np.repeat(bound, 3)
    refined = refine(rows, bound, rough(rows, bound))
    assert refined.exact
    assert relative_gap(rows, bound, refined.alpha) < 1e-10


def test_coordinates_with_bound_zero_stay_zero():
    rows, bound = box_problem(2, 30, 4)
    bound[::2] = 0.0
    refined = refine(rows, bound, rough(rows, bound))
    assert refined.exact
    np.testing.assert_array_equal(refined.alpha[::2], 0.0)


def test_a_free_set_that_is_too_large_is_left_unchanged():
    rows, bound = box_problem(0, 20_000, 40)
    start = 0.5 * bound
    refined = refine(rows, bound, start)
    assert not refined.exact
    np.testing.assert_array_equal(refined.alpha, start)
