"""Steps of the path solver: Cholesky updates, moving bounds, violating coordinates."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from frtsvm_core.solvers import _path_steps as steps

FloatArray = NDArray[np.float64]


def gram_matrix(seed: int, size: int) -> FloatArray:
    rows = np.random.default_rng(seed).standard_normal((size, size + 3))
    return rows @ rows.T


def factor_of(gram: FloatArray, order: list[int], append: Any) -> tuple[FloatArray, Any, int]:
    lower, free, n_free = np.zeros((10, 10)), np.zeros(10, dtype=np.int64), 0
    for i in order:
        n_free = append(gram, lower, free, n_free, i, 0.0)
    return lower, free, n_free


@given(st.integers(0, 2**32 - 1), st.permutations(range(6)), st.integers(0, 5))
def test_append_and_remove_update_the_cholesky_factor(
    seed: int, order: list[int], leaving: int
) -> None:
    gram = gram_matrix(seed, 6)
    lower, free, n_free = factor_of(gram, order, steps._append)
    np.testing.assert_allclose(lower[:6, :6], np.linalg.cholesky(gram[np.ix_(order, order)]))
    n_free = steps._remove(lower, free, n_free, leaving)
    stayed = [i for i in order if i != order[leaving]]
    assert list(free[:n_free]) == stayed
    found = np.tril(lower[:n_free, :n_free])
    np.testing.assert_allclose(found @ found.T, gram[np.ix_(stayed, stayed)], atol=1e-9)


@pytest.mark.parametrize("compiled", [True, False])
def test_solve_with_the_cholesky_factor(compiled: bool) -> None:
    append = steps._append if compiled else steps._append.py_func
    solve = steps._solve if compiled else steps._solve.py_func
    gram = gram_matrix(0, 5)
    lower, _, n_free = factor_of(gram, list(range(5)), append)
    x = np.arange(1.0, 6.0)
    solve(lower, n_free, x)
    np.testing.assert_allclose(gram @ x, np.arange(1.0, 6.0))


def test_a_repeated_row_is_appended_with_the_ridge() -> None:
    gram = np.ones((2, 2))
    lower, free = np.zeros((3, 3)), np.zeros(3, dtype=np.int64)
    n_free = steps._append(gram, lower, free, 0, 0, 1e-13)
    steps._append(gram, lower, free, n_free, 1, 1e-13)
    assert 0.0 < lower[1, 1] < 1e-6


@pytest.mark.parametrize("compiled", [True, False])
def test_moving_the_bounds_updates_the_gradient(compiled: bool) -> None:
    move = steps._move_bounds if compiled else steps._move_bounds.py_func
    gram = gram_matrix(1, 6)
    weight = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
    alpha = np.array([0.5, 0.6, 0.1, 0.0, 0.9, 0.2])
    at_bound = alpha == weight
    assert at_bound.sum() == 3
    gradient = gram @ alpha - 1.0
    move(gram, 3.0 * weight, alpha, gradient, at_bound, 3.0)
    np.testing.assert_allclose(gradient, gram @ alpha - 1.0, atol=1e-12)
    np.testing.assert_array_equal(alpha[at_bound], 3.0 * weight[at_bound])
    np.testing.assert_array_equal(alpha[[2, 3, 5]], [0.1, 0.0, 0.2])


def test_the_worst_coordinate_has_the_largest_violation() -> None:
    bound = np.array([1.0, 1.0, 1.0, 0.0])
    alpha = np.array([0.0, 1.0, 0.0, 0.0])
    state = np.zeros(4, dtype=np.int8)
    # At 0 a negative gradient is a violation, at the bound a positive one; with bound 0 neither is.
    gradient = np.array([-0.5, 0.7, 0.9, -2.0])
    assert steps._worst_at_bound(bound, alpha, gradient, state) == 1
    assert steps._worst_at_bound(bound, alpha, np.array([0.5, -0.7, 0.0, -2.0]), state) == -1
