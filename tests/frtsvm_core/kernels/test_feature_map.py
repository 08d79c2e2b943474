"""A kernel plane as a linear plane: the identities of docs/maths.md, eq. 16-18."""

import numpy as np
import pytest

from frtsvm_core.kernels.feature_map import kernel_map, linear_map
from frtsvm_core.kernels.functions import RBF, Polynomial, Precomputed
from frtsvm_core.kernels.rank import EXACT_ROWS, affordable_rank

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
NEW = rng.normal(size=(10, 3))


def make(kernel, x=X, weight=None, rank=None, **params):
    weight = np.ones(len(x)) if weight is None else weight
    params = {"tol": 1e-6, **params}
    return kernel_map(kernel, x, weight, rank=rank, rng=np.random.default_rng(0), **params)


@pytest.mark.parametrize("kernel", [RBF(0.5), Polynomial(0.3, 3, 1.0)])
def test_plane_in_features_is_the_kernel_plane_of_minimum_norm(kernel):
    """k(x, X)w = F(x).g, |w| = |t| and sqrt(w'Kw) = |g| for g = Rt."""
    features = make(kernel)
    matrix = kernel(X, X)
    t = rng.normal(size=features.rank)
    g = features.root @ t
    w = np.linalg.lstsq(features.rows.T, g, rcond=None)[0]  # minimum norm with F'w = g
    np.testing.assert_allclose(np.linalg.norm(w), np.linalg.norm(t), rtol=1e-6)
    np.testing.assert_allclose(np.sqrt(w @ matrix @ w), np.linalg.norm(g), rtol=1e-8)
    by_landmarks = kernel(NEW, features.landmarks) @ features.coefficients(g[None])[0]
    np.testing.assert_allclose(by_landmarks, kernel(NEW, X) @ w, rtol=1e-5, atol=1e-7)


def test_weights_enter_the_penalty_as_repeated_rows():
    weight = rng.integers(1, 4, len(X)).astype(float)
    features = make(RBF(0.5), weight=weight)
    expected = features.rows.T @ (weight[:, None] * features.rows)
    np.testing.assert_allclose(features.root @ features.root.T, expected, rtol=1e-9, atol=1e-12)


def test_function_penalty_has_no_root():
    features = make(RBF(0.5), penalty="function")
    assert features.root is None
    np.testing.assert_array_equal(features.rows, make(RBF(0.5)).rows)


def test_small_data_is_exact_under_auto():
    assert len(X) <= EXACT_ROWS
    assert make(RBF(0.01), rank="auto", tol=0.5).residual < 1e-10


def test_large_data_stops_at_the_tolerance():
    x = rng.normal(size=(EXACT_ROWS + 300, 2))
    features = make(RBF(0.5), x=x, rank="auto", tol=1e-3)
    assert features.rank < 100
    assert features.residual <= 1e-3


def test_an_integer_rank_is_a_cap():
    assert make(RBF(5.0), rank=7).rank == 7


def test_automatic_rank_cap_decreases_with_the_number_of_rows():
    caps = [affordable_rank(n) for n in (1_000, 10_000, 100_000, 10**6, 10**8)]
    assert caps == sorted(caps, reverse=True)
    assert caps[-1] == 100
    assert 4 * 10_000 * caps[1] ** 2 + 8 * caps[1] ** 3 <= 2e10


def test_precomputed_landmarks_are_row_numbers():
    features = make(Precomputed(), x=X @ X.T)
    assert features.landmarks.dtype == np.intp
    assert features.rank == 3


def test_linear_map_is_the_rows_themselves():
    features = linear_map(X)
    assert features.rows is X
    assert features.root is None


def test_wide_rows_are_expressed_in_a_basis_of_their_row_space():
    wide = rng.normal(size=(4, 50))
    features = linear_map(wide)
    assert features.rows.shape == (4, 4)
    g = rng.normal(size=(2, 4))
    np.testing.assert_allclose(features.coefficients(g) @ wide.T, g @ features.rows.T, atol=1e-12)
    np.testing.assert_allclose(
        np.linalg.norm(features.coefficients(g), axis=1), np.linalg.norm(g, axis=1)
    )


def test_ill_conditioned_factor_keeps_its_penalty():
    """With nearly equal rows, squaring F loses its smallest singular value, and QR is used."""
    x = np.concatenate([X, X + 1e-7])
    features = make(RBF(0.5), x=x)
    gram = features.rows.T @ features.rows
    np.testing.assert_allclose(features.root @ features.root.T, gram, atol=1e-10 * np.trace(gram))
