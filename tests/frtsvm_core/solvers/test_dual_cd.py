"""Dual coordinate descent: optimality, shrinking, gaps, callback, warm start."""

import numpy as np
import pytest

from frtsvm_core.solvers import dual_cd
from frtsvm_core.solvers.dual_cd import solve_dual
from tests.frtsvm_core.problems import box_problem

WIDE, TALL = (30, 60), (400, 6)  # gradient from Q with fewer rows than columns, else from v


def solve(shape, *, shrinking=True, tol=1e-9, max_sweeps=20_000, seed=0, callback=None, scale=1.0):
    rows, bound = box_problem(seed, *shape, scale=scale)
    solution = solve_dual(
        rows,
        bound,
        tol=tol,
        max_sweeps=max_sweeps,
        shrinking=shrinking,
        rng=np.random.default_rng(seed),
        callback=callback,
    )
    return rows, bound, solution


def kkt_violation(rows, bound, alpha):
    gradient = rows @ (rows.T @ alpha) - 1.0
    return max(gradient[alpha > 0].max(initial=0.0), (-gradient[alpha < bound]).max(initial=0.0))


@pytest.mark.parametrize("shape", [WIDE, TALL])
@pytest.mark.parametrize("shrinking", [True, False])
def test_solution_satisfies_the_optimality_conditions(shape, shrinking):
    rows, bound, solution = solve(shape, shrinking=shrinking)
    assert solution.converged
    assert (solution.alpha >= 0).all()
    assert (solution.alpha <= bound).all()
    assert kkt_violation(rows, bound, solution.alpha) < 1e-8
    np.testing.assert_allclose(solution.v, rows.T @ solution.alpha, rtol=1e-12)


@pytest.mark.parametrize("shape", [WIDE, TALL])
def test_shrinking_gives_the_same_solution(shape):
    with_shrinking = solve(shape, shrinking=True)[2]
    without = solve(shape, shrinking=False)[2]
    np.testing.assert_allclose(with_shrinking.v, without.v, rtol=1e-6, atol=1e-8)


def test_shrinking_drops_coordinates_at_both_bounds_and_saves_visits(monkeypatch):
    dropped_at = {"zero": 0, "bound": 0}
    original = dual_cd.sweep_rows

    def counting(rows, curvature, bound, alpha, v, active, n_active, upper, lower):
        largest, smallest, left = original(
            rows, curvature, bound, alpha, v, active, n_active, upper, lower
        )
        dropped = active[left:n_active]
        dropped_at["zero"] += int((alpha[dropped] == 0.0).sum())
        dropped_at["bound"] += int((alpha[dropped] == bound[dropped]).sum())
        assert ((alpha[dropped] == 0.0) | (alpha[dropped] == bound[dropped])).all()
        return largest, smallest, left

    monkeypatch.setattr(dual_cd, "sweep_rows", counting)
    shrunk = solve(TALL, shrinking=True, tol=1e-6)[2]
    assert dropped_at["zero"] > 0
    assert dropped_at["bound"] > 0
    plain = solve(TALL, shrinking=False, tol=1e-6)[2]
    assert shrunk.n_visits < 0.5 * plain.n_visits


def test_only_a_full_sweep_ends_the_run():
    seen = []
    rows, _, solution = solve(TALL, callback=seen.append)
    assert solution.converged
    assert seen[-1].n_active == rows.shape[0]
    assert min(sweep.n_active for sweep in seen) < rows.shape[0]
    assert seen[-1].violation <= 1e-9


@pytest.mark.parametrize("shape", [WIDE, TALL])
def test_reported_gaps_decrease_to_that_of_the_solution_and_are_computed_seldom(shape):
    """Gaps are between 0 and 1, and the last is that of the solution."""
    seen = []
    rows, bound, solution = solve(shape, callback=seen.append)
    taken = [sweep for sweep in seen if sweep.relative_gap is not None]
    gaps = [sweep.relative_gap for sweep in taken]
    v = solution.v
    primal = 0.5 * v @ v + bound @ np.maximum(1.0 - rows @ v, 0.0)
    dual = solution.alpha.sum() - 0.5 * v @ v
    assert gaps[-1] == pytest.approx(max(primal - dual, 0.0) / primal, abs=1e-12)
    assert taken[-1] is seen[-1]
    assert min(gaps) >= 0.0
    assert max(gaps) <= 1.0
    assert gaps[0] > 1e3 * gaps[-1]
    # A gap costs a product with all rows, so the sweeps before it visit at least as many rows.
    assert len(taken) - 1 <= solution.n_visits / rows.shape[0]
    assert len(taken) < len(seen)
    assert solve(shape)[2].n_visits == solution.n_visits  # the callback does not change the result


def test_callback_receives_numbered_sweeps_and_can_end_the_run():
    class Enough(Exception):
        pass

    numbers = []

    def stop_at_five(sweep):
        numbers.append(sweep.number)
        if sweep.number == 5:
            raise Enough

    with pytest.raises(Enough):
        solve(TALL, callback=stop_at_five)
    assert numbers == [1, 2, 3, 4, 5]


def test_too_few_sweeps_are_reported():
    solution = solve(TALL, max_sweeps=2)[2]
    assert not solution.converged
    assert solution.n_sweeps == 2


def test_equal_gradients_of_one_sign_are_not_convergence():
    """With orthogonal rows all first gradients are -1: their spread is 0 before any step."""
    solution = solve_dual(
        np.eye(4),
        np.full(4, 0.25),
        tol=1e-3,
        max_sweeps=10,
        shrinking=True,
        rng=np.random.default_rng(0),
    )
    assert solution.n_sweeps == 2
    np.testing.assert_array_equal(solution.alpha, 0.25)


def test_start_is_used_and_clipped():
    rows, bound, solution = solve(TALL)
    again = solve_dual(
        rows,
        bound,
        tol=1e-6,
        max_sweeps=50,
        shrinking=True,
        rng=np.random.default_rng(1),
        start=solution.alpha + 1e-3 * (solution.alpha == bound),
    )
    assert again.converged
    assert again.n_sweeps <= 3
    assert (again.alpha <= bound).all()


def test_recomputing_v_keeps_it_consistent_with_alpha(monkeypatch):
    monkeypatch.setattr(dual_cd, "_REFRESH_EVERY", 1)
    rows, bound, solution = solve(TALL)
    assert kkt_violation(rows, bound, solution.alpha) < 1e-8
