"""Expansions equal the kernel matrix times the coefficients."""

import numpy as np
import pytest

from frtsvm_core.kernels.expansion import expansion_of
from frtsvm_core.kernels.functions import RBF, Polynomial, Sigmoid


def problem(n_rows: int, n_landmarks: int = 300, shift: float = 0.0):
    rng = np.random.default_rng(n_rows)
    x = rng.normal(size=(n_rows, 20)) + shift
    landmarks = rng.normal(size=(n_landmarks, 20)) + shift
    return x, landmarks, rng.normal(size=(3, n_landmarks))


@pytest.mark.parametrize("n_rows", [1, 2, 127, 128, 129, 700])
@pytest.mark.parametrize(
    "kernel", [RBF(0.05), RBF(3.0), Polynomial(0.1, 3, 1.0), Sigmoid(0.01, 0.1)]
)
def test_equals_the_kernel_matrix(kernel, n_rows):
    x, landmarks, coef = problem(n_rows)
    found = expansion_of(kernel, landmarks, coef)(x)
    expected = kernel(x, landmarks) @ coef.T
    scale = (np.abs(kernel(x, landmarks)) @ np.abs(coef.T)).max()
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * scale)


def test_linear_is_a_product_with_the_features():
    x, weights, _ = problem(50, 4)
    np.testing.assert_allclose(expansion_of(None, None, weights)(x), x @ weights.T, rtol=1e-12)


def test_rows_far_from_the_origin_lose_no_accuracy():
    near, far = problem(200), problem(200, shift=1e6)
    values = [expansion_of(RBF(0.05), y, coef)(x) for x, y, coef in (near, far)]
    np.testing.assert_allclose(values[0], values[1], atol=1e-7)


def test_a_row_that_is_a_landmark_has_kernel_value_one():
    _, landmarks, _ = problem(1)
    unit = np.eye(len(landmarks))
    found = expansion_of(RBF(1e4), landmarks * 1e3, unit)(landmarks * 1e3)
    assert found.max() <= 1.0
    np.testing.assert_allclose(np.diagonal(found), 1.0, atol=1e-3)


def test_no_rows():
    _, landmarks, coef = problem(1)
    assert expansion_of(RBF(1.0), landmarks, coef)(np.empty((0, 20))).shape == (0, 3)
