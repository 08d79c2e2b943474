"""The eigendecomposition gives the same dual and planes as the Cholesky whitening, for every c."""

import numpy as np
import pytest
from numpy.typing import NDArray

from frtsvm_core.twin.spectrum import class_spectrum
from frtsvm_core.twin.whitening import class_scatter, whiten

FloatArray = NDArray[np.float64]


def class_rows(with_root: bool) -> tuple[FloatArray, FloatArray | None]:
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((40, 6)) @ np.diag([1.0, 5.0, 0.1, 1.0, 2.0, 0.0])
    root = np.tril(rng.standard_normal((6, 6))) + 3.0 * np.eye(6) if with_root else None
    return rows, root


@pytest.mark.parametrize("with_root", [False, True])
@pytest.mark.parametrize("bias_ridge", [0.0, 0.01])
@pytest.mark.parametrize("c", [1e-3, 1.0, 300.0])
def test_q_and_plane_equal_those_of_the_whitening(
    with_root: bool, bias_ridge: float, c: float
) -> None:
    rows, root = class_rows(with_root)
    own, other = np.arange(25), np.arange(25, 40)
    scatter = class_scatter(rows, own, np.linspace(0.5, 2.0, 40), bias_ridge)
    whitening = whiten(rows, scatter, root, c)
    spectrum = class_spectrum(rows, scatter, root, smallest_c=1e-3)

    expected = whitening.apply(rows, other)
    z = spectrum.whitened(spectrum.project(rows[other]), c)
    np.testing.assert_allclose(z @ z.T, expected @ expected.T, rtol=1e-9, atol=1e-11)

    alpha = np.linspace(0.0, 1.0, other.size)
    g, b = whitening.plane(expected.T @ alpha, 1.0)
    direction, at_mean, directions_g = spectrum.planes((z.T @ alpha)[None], c)
    np.testing.assert_allclose(directions_g[0], g, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(
        spectrum.project(rows) @ direction[0] + at_mean[0], rows @ g + b, rtol=1e-8, atol=1e-9
    )


def test_regularization_below_the_rounding_error_of_the_scatter_has_an_effect() -> None:
    rows = np.array([[1e6, 0.0], [-1e6, 0.0], [0.0, 1.0], [3.0, 2.0], [-1.0, 0.5]])
    scatter = class_scatter(rows, np.arange(3), np.ones(5))
    c = 1e-8
    assert c < np.finfo(float).eps * np.trace(scatter.scatter)
    spectrum = class_spectrum(rows, scatter, None, smallest_c=c)
    z = spectrum.whitened(spectrum.project(rows[3:]), c)
    expected = whiten(rows, scatter, None, c).apply(rows, np.array([3, 4]))
    np.testing.assert_allclose(z @ z.T, expected @ expected.T, rtol=1e-6)
