"""Kernel functions and gamma, compared with scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel, sigmoid_kernel
from sklearn.svm import SVC

from frtsvm_core.kernels.functions import (
    RBF,
    Polynomial,
    Precomputed,
    Sigmoid,
    UserKernel,
    in_blocks,
    resolve_gamma,
    resolve_kernel,
)

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(20, 4)), rng.normal(size=(15, 4))


@pytest.mark.parametrize(
    ("kernel", "reference"),
    [
        (RBF(0.7), lambda a, b: rbf_kernel(a, b, gamma=0.7)),
        (Polynomial(0.7, 3, 1.5), lambda a, b: polynomial_kernel(a, b, 3, 0.7, 1.5)),
        (Sigmoid(0.7, 0.5), lambda a, b: sigmoid_kernel(a, b, 0.7, 0.5)),
        (UserKernel(lambda a, b: a @ b.T), lambda a, b: a @ b.T),
    ],
)
def test_equals_scikit_learn(kernel, reference):
    np.testing.assert_allclose(kernel(X, Y), reference(X, Y), rtol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(X), np.diagonal(reference(X, X)), rtol=1e-12)


def test_rbf_loses_no_accuracy_far_from_the_origin():
    near, far = RBF(1.0)(X, Y), RBF(1.0)(X + 1e7, Y + 1e7)
    np.testing.assert_allclose(far, near, rtol=1e-6)


def test_rbf_of_a_row_with_itself_is_one():
    np.testing.assert_allclose(np.diagonal(RBF(3.0)(X, X)), 1.0, rtol=1e-12)


def test_precomputed_picks_columns():
    matrix = X @ X.T
    np.testing.assert_array_equal(Precomputed()(matrix, np.array([3, 1])), matrix[:, [3, 1]])
    np.testing.assert_array_equal(Precomputed().diagonal(matrix), np.diagonal(matrix))


def test_user_kernel_of_the_wrong_shape_is_rejected():
    with pytest.raises(ValueError, match=r"returned shape \(20,\).*expected \(20, 15\)"):
        UserKernel(lambda a, b: a[:, 0])(X, Y)


def test_linear_needs_no_kernel():
    assert resolve_kernel("linear", gamma=1.0, degree=3, coef0=0.0) is None


@pytest.mark.parametrize("gamma", ["scale", "auto", 0.3])
def test_gamma_equals_scikit_learn(gamma):
    y = np.arange(20) % 2
    expected = SVC(gamma=gamma).fit(X, y)._gamma
    assert resolve_gamma(gamma, X, np.ones(20)) == pytest.approx(expected, rel=1e-12)


def test_gamma_scale_counts_weights_as_rows():
    weight = np.arange(20) % 3 + 1
    repeated = np.repeat(X, weight, axis=0)
    as_rows = resolve_gamma("scale", repeated, np.ones(len(repeated)))
    assert resolve_gamma("scale", X, weight.astype(float)) == pytest.approx(as_rows, rel=1e-12)


def test_gamma_scale_of_constant_rows_is_one():
    assert resolve_gamma("scale", np.full((5, 2), 0.1), np.ones(5)) == 1.0


def test_blocks_cover_all_rows_once():
    for n_rows, n_columns in [(0, 5), (1, 5), (100_000, 3), (1000, 10**9)]:
        rows = np.arange(n_rows)
        joined = np.concatenate([rows[b] for b in in_blocks(n_rows, n_columns)] or [rows])
        np.testing.assert_array_equal(joined, rows)
