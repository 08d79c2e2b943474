"""Pivoted Cholesky factorization: exactness, tolerance, rank cap, cost, rejected matrices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frtsvm_core.kernels.functions import RBF
from frtsvm_core.kernels.pivoted_cholesky import pivoted_cholesky
from tests.frtsvm_core.problems import seeds


def factor(matrix, *, tol=0.0, max_rank=None, seed=0):
    matrix = np.asarray(matrix, dtype=float)
    return pivoted_cholesky(
        lambda rows, columns: matrix[np.ix_(rows, columns)],
        np.diagonal(matrix).copy(),
        tol=tol,
        max_rank=max_rank or len(matrix),
        rng=np.random.default_rng(seed),
    )


def rbf_matrix(n_rows=200, gamma=1.0, seed=0):
    x = np.random.default_rng(seed).normal(size=(n_rows, 2))
    return RBF(gamma)(x, x)


@given(seed=seeds, n_rows=st.integers(1, 60), rank=st.integers(1, 60))
@settings(max_examples=50)
def test_exact_factor_reproduces_the_matrix(seed, n_rows, rank):
    root = np.random.default_rng(seed).normal(size=(n_rows, rank))
    matrix = root @ root.T
    result = factor(matrix, seed=seed)
    np.testing.assert_allclose(result.rows @ result.rows.T, matrix, atol=1e-10 * np.trace(matrix))
    assert result.rows.shape[1] <= min(n_rows, rank)


def test_pivot_rows_are_lower_triangular():
    result = factor(rbf_matrix())
    at_pivots = result.rows[result.pivots]
    np.testing.assert_array_equal(at_pivots, np.tril(at_pivots))
    assert (np.diagonal(at_pivots) > 0).all()
    assert len(set(result.pivots)) == result.pivots.size


@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-8])
def test_tolerance_bounds_the_trace_of_the_residual(tol):
    matrix = rbf_matrix()
    result = factor(matrix, tol=tol)
    residual = np.trace(matrix - result.rows @ result.rows.T) / np.trace(matrix)
    assert residual <= tol * (1 + 1e-9)
    assert result.residual == pytest.approx(residual, rel=1e-6, abs=1e-12)
    assert result.rows.shape[1] < 200


def test_stops_as_soon_as_the_tolerance_is_met():
    """With one pivot less the tolerance is not met, although pivots are drawn in blocks."""
    matrix = rbf_matrix()
    result = factor(matrix, tol=1e-4)
    shorter = result.rows[:, :-1]
    assert np.trace(matrix - shorter @ shorter.T) > 1e-4 * np.trace(matrix)


def test_rank_is_near_the_best_possible():
    matrix = rbf_matrix(500)
    eigenvalues = np.linalg.eigvalsh(matrix)[::-1]
    best = int(np.searchsorted(np.cumsum(eigenvalues), (1 - 1e-4) * eigenvalues.sum())) + 1
    assert factor(matrix, tol=1e-4).rows.shape[1] <= 2 * best


def test_rank_cap_is_kept_and_the_residual_is_reported():
    result = factor(rbf_matrix(gamma=50.0), tol=1e-6, max_rank=10)
    assert result.rows.shape == (200, 10)
    assert result.residual > 0.1


def test_only_columns_of_pivots_are_computed():
    matrix, entries = rbf_matrix(400), 0

    def counting(rows, columns):
        nonlocal entries
        entries += rows.size * columns.size
        return matrix[np.ix_(rows, columns)]

    result = pivoted_cholesky(
        counting, np.ones(400), tol=1e-3, max_rank=400, rng=np.random.default_rng(0)
    )
    assert entries < 3 * 400 * max(result.pivots.size, 32)


def test_single_precision_kernels_are_accepted():
    matrix = rbf_matrix().astype(np.float32).astype(np.float64)
    result = factor(matrix)
    np.testing.assert_allclose(result.rows @ result.rows.T, matrix, atol=1e-4)


@pytest.mark.parametrize(
    "matrix",
    [
        [[1.0, 2.0], [2.0, 1.0]],
        [[0.0, 1.0], [1.0, 0.0]],
        [[-1.0, 0.0], [0.0, 1.0]],
        np.diag([1.0] * 30 + [0.0] * 30) + np.eye(60, k=30) + np.eye(60, k=-30),
    ],
)
def test_indefinite_matrices_are_rejected(matrix):
    with pytest.raises(ValueError, match="not positive semi-definite"):
        factor(matrix)


def test_infinite_entries_are_rejected():
    with pytest.raises(ValueError, match="not finite"):
        factor([[1.0, np.inf], [np.inf, 1.0]])


def test_zero_matrix_has_rank_zero():
    result = factor(np.zeros((5, 5)))
    assert result.rows.shape == (5, 0)
    assert result.residual == 0.0


def test_same_seed_same_pivots():
    first, second = factor(rbf_matrix(), tol=1e-4), factor(rbf_matrix(), tol=1e-4)
    np.testing.assert_array_equal(first.pivots, second.pivots)
