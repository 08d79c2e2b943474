"""The solutions of a path of boxes equal separate solutions of each box."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from frtsvm_core.solvers.box_qp import SolverOptions, solve_box_qp
from frtsvm_core.solvers.path import BoxPath

FloatArray = NDArray[np.float64]

OPTIONS = SolverOptions(tol=1e-3, max_sweeps=1000, shrinking=True)
COSTS = 2.0 ** np.arange(-6, 7)


def random_problem(seed: int, n_rows: int, width: int) -> tuple[FloatArray, FloatArray]:
    """Rows with a common direction, so that many coordinates end at a bound, and unequal boxes."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n_rows, width)) + rng.standard_normal(width)
    rows[:, -1] = 0.3
    return rows, rng.uniform(0.0, 1.0, n_rows)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 40),
    st.integers(1, 12),
)
def test_every_solution_of_the_path_is_that_of_its_box(seed: int, n_rows: int, width: int) -> None:
    rows, weight = random_problem(seed, n_rows, width)
    path = BoxPath(rows).solve(weight, COSTS, OPTIONS, 0)
    assert path.converged.all()
    for cost, v in zip(COSTS, path.v, strict=True):
        alone = solve_box_qp(
            rows,
            cost * weight,
            tol=1e-10,
            max_sweeps=20_000,
            shrinking=False,
            rng=np.random.default_rng(0),
        )
        np.testing.assert_allclose(v, alone.v, atol=1e-7 * (1.0 + np.abs(alone.v).max()))


def test_repeated_rows_make_no_difference_to_the_plane() -> None:
    rows, weight = random_problem(3, 30, 4)
    once = BoxPath(rows).solve(2.0 * weight, COSTS, OPTIONS, 0)
    twice = BoxPath(np.repeat(rows, 2, axis=0)).solve(np.repeat(weight, 2), COSTS, OPTIONS, 0)
    assert twice.converged.all()
    np.testing.assert_allclose(twice.v, once.v, atol=1e-8)


def test_coordinates_with_bound_zero_stay_zero() -> None:
    rows, weight = random_problem(5, 25, 4)
    weight[::2] = 0.0
    path = BoxPath(rows).solve(weight, COSTS, OPTIONS, 0)
    without = BoxPath(rows[1::2]).solve(weight[1::2], COSTS, OPTIONS, 0)
    np.testing.assert_allclose(path.v, without.v, atol=1e-9)


def test_large_problems_are_solved_without_the_gram_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, weight = random_problem(7, 120, 6)
    small = BoxPath(rows).solve(weight, COSTS, OPTIONS, 0)
    monkeypatch.setattr("frtsvm_core.solvers.path._GRAM_ROWS", 0)
    large = BoxPath(rows)
    assert large._gram is None
    by_rows = large.solve(weight, COSTS, OPTIONS, 0)
    assert by_rows.converged.all()
    np.testing.assert_allclose(by_rows.v, small.v, atol=1e-8)


def test_a_warm_start_needs_fewer_sweeps() -> None:
    rows, weight = random_problem(11, 200, 8)
    common = {"tol": 1e-6, "max_sweeps": 5000, "shrinking": True}
    cold = solve_box_qp(rows, weight, rng=np.random.default_rng(0), **common)  # type: ignore[arg-type]
    warm = solve_box_qp(
        rows,
        weight,
        rng=np.random.default_rng(0),
        start=cold.alpha,
        **common,  # type: ignore[arg-type]
    )
    assert warm.n_sweeps < cold.n_sweeps
    np.testing.assert_allclose(warm.v, cold.v, atol=1e-10)
