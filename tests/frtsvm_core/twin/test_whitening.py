"""Whitening: Q = ZZ' is the matrix of the paper's dual; planes match its recovery formula."""

import numpy as np
import pytest

from frtsvm_core.twin import whitening as module
from frtsvm_core.twin.whitening import DenseWhitening, ThinWhitening, class_scatter, whiten

rng = np.random.default_rng(0)
ROWS = rng.normal(size=(50, 4)) + 3.0
OWN, OTHER = np.arange(20), np.arange(20, 50)
WEIGHT = rng.integers(1, 4, 50).astype(float)


def paper_matrices(c, root=None, ridge=0.0):
    """H, G and H'H + cE as printed, rows repeated by weight; features psi = F R."""
    features = ROWS if root is None else ROWS @ root
    h = np.hstack([features[OWN], np.ones((20, 1))])
    h = np.repeat(h, WEIGHT[OWN].astype(int), axis=0)
    g = np.hstack([features[OTHER], np.ones((30, 1))])
    return h, g, h.T @ h + np.diag([c] * 4 + [ridge])


def whitened(c, root=None, ridge=0.0):
    return whiten(ROWS, class_scatter(ROWS, OWN, WEIGHT, ridge), root, c)


@pytest.mark.parametrize("c", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("root", [None, np.tril(rng.normal(size=(4, 4))) + 3 * np.eye(4)])
@pytest.mark.parametrize("ridge", [0.0, 0.5])
def test_whitened_rows_give_the_matrix_of_the_dual(c, root, ridge):
    _, g, small = paper_matrices(c, root, ridge)
    z = whitened(c, root, ridge).apply(ROWS, OTHER)
    np.testing.assert_allclose(z @ z.T, g @ np.linalg.solve(small, g.T), rtol=1e-9)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_recovered_plane_satisfies_stationarity(sign):
    """u = sigma (H'H + cE)^-1 G'a, for any a."""
    _, g, small = paper_matrices(0.7)
    white = whitened(0.7)
    alpha = rng.random(30)
    w, b = white.plane(white.apply(ROWS, OTHER).T @ alpha, sign)
    np.testing.assert_allclose(np.append(w, b), sign * np.linalg.solve(small, g.T @ alpha))


def test_scatter_is_the_weighted_one():
    repeated = np.repeat(ROWS[OWN], WEIGHT[OWN].astype(int), axis=0)
    scatter = class_scatter(ROWS, OWN, WEIGHT)
    np.testing.assert_allclose(scatter.mean, repeated.mean(axis=0))
    np.testing.assert_allclose(scatter.scatter, len(repeated) * np.cov(repeated.T, bias=True))
    assert scatter.total_weight == len(repeated)


def test_blocks_do_not_change_the_result(monkeypatch):
    whole = whitened(1.0).apply(ROWS, OTHER)
    monkeypatch.setattr(module, "_BLOCK_ROWS", 7)
    np.testing.assert_allclose(whitened(1.0).apply(ROWS, OTHER), whole, rtol=1e-10, atol=1e-12)


def test_regularization_below_the_rounding_error_of_the_scatter_has_an_effect():
    """The own class has no scatter in one direction: there A is c, far below eps * trace."""
    direction = np.array([1.0, 1.0, 0.0, 0.0]) / np.sqrt(2)
    flat = ROWS - np.outer(ROWS @ direction, direction)
    rows, c = 1e8 * flat, 1e-4
    rows[OTHER] += direction
    white = whiten(rows, class_scatter(rows, OWN, np.ones(50)), None, c)
    z = white.apply(rows, OTHER[:1])
    along = np.sum((1e8 * (flat[OTHER[0]] - flat[OWN].mean(axis=0)) + direction) * direction)
    # that direction alone gives z^2 about along^2 / c
    assert np.sum(z[:, :-1] ** 2) == pytest.approx(along**2 / c, rel=1e-3)


@pytest.mark.parametrize("c", [1e-3, 1.0])
@pytest.mark.parametrize("ridge", [0.0, 0.5])
def test_thin_whitening_gives_the_same_matrix_and_plane(c, ridge):
    """For a class of 5 rows in 40 columns, `ThinWhitening` equals `DenseWhitening`."""
    rows = rng.normal(size=(30, 40)) + 2.0
    own, other, weight = np.arange(5), np.arange(5, 30), rng.random(30) + 0.5
    thin = whiten(rows, class_scatter(rows, own, weight, ridge, matrix=False), None, c)
    dense = whiten(rows, class_scatter(rows, own, weight, ridge), None, c)
    assert isinstance(thin, ThinWhitening)
    assert isinstance(dense, DenseWhitening)
    z_thin, z_dense = thin.apply(rows, other), dense.apply(rows, other)
    matrix = z_dense @ z_dense.T
    # the absolute error of small entries is that of the large numbers whose difference they are
    np.testing.assert_allclose(z_thin @ z_thin.T, matrix, rtol=1e-9, atol=1e-11 * np.max(matrix))
    alpha = rng.random(25)
    for one, two in zip(
        thin.plane(z_thin.T @ alpha, 1.0), dense.plane(z_dense.T @ alpha, 1.0), strict=True
    ):
        np.testing.assert_allclose(one, two, rtol=1e-7, atol=1e-10)


def test_thin_class_with_regularization_below_rounding_errors_uses_a_dense_whitening():
    rows = 1e9 * rng.normal(size=(30, 40))
    scatter = class_scatter(rows, np.arange(5), np.ones(30), matrix=False)
    assert isinstance(whiten(rows, scatter, None, 1e-6), DenseWhitening)


def test_one_row_and_one_feature():
    rows = np.array([[2.0], [5.0]])
    white = whiten(rows, class_scatter(rows, np.array([0]), np.ones(2)), None, 4.0)
    np.testing.assert_allclose(white.apply(rows, np.array([1])), [[1.5, 1.0]])
