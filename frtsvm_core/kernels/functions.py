"""Kernel functions, evaluated block by block so that the full kernel matrix is never stored.

A `Kernel` computes the diagonal and single columns for the training rows, which the factorization
needs, and k(x, landmarks) for new rows, which prediction needs. `resolve_kernel` creates one from
the parameters of an estimator.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
KernelFunction = Callable[[FloatArray, FloatArray], FloatArray]

KERNEL_NAMES = ("linear", "rbf", "poly", "sigmoid", "precomputed")

# Cells per block: large enough for fast matrix products, small enough for the CPU cache.
_BLOCK_CELLS = 1 << 18


@dataclass(frozen=True)
class RBF:
    """RBF kernel exp(-gamma |x - y|^2); gamma = 1/g^2 for the paper's width g."""

    gamma: float

    def __call__(self, x: FloatArray, y: FloatArray) -> FloatArray:
        # |x|^2 - 2x.y + |y|^2 cancels if all rows are far from the origin, so they are centered
        # first.
        centre = y.mean(axis=0)
        x, y = x - centre, y - centre
        squared = x @ (-2.0 * y.T)
        squared += np.einsum("ij,ij->i", x, x)[:, None]
        squared += np.einsum("ij,ij->i", y, y)
        np.maximum(squared, 0.0, out=squared)
        squared *= -self.gamma
        return np.exp(squared, out=squared)

    def diagonal(self, x: FloatArray) -> FloatArray:
        return np.ones(x.shape[0])


@dataclass(frozen=True)
class Polynomial:
    """Polynomial kernel (gamma x.y + coef0)^degree."""

    gamma: float
    degree: float
    coef0: float

    def __call__(self, x: FloatArray, y: FloatArray) -> FloatArray:
        return self._power(x @ y.T)

    def diagonal(self, x: FloatArray) -> FloatArray:
        return self._power(np.einsum("ij,ij->i", x, x))

    def _power(self, products: FloatArray) -> FloatArray:
        # Overflow gives infinity, which the factorization reports as an error.
        with np.errstate(over="ignore"):
            result: FloatArray = (self.gamma * products + self.coef0) ** self.degree
        return result


@dataclass(frozen=True)
class Sigmoid:
    """Sigmoid kernel tanh(gamma x.y + coef0).

    It is positive semi-definite only for some parameters and rows; the factorization checks this.
    """

    gamma: float
    coef0: float

    def __call__(self, x: FloatArray, y: FloatArray) -> FloatArray:
        return np.tanh(self.gamma * (x @ y.T) + self.coef0)

    def diagonal(self, x: FloatArray) -> FloatArray:
        squared_norm: FloatArray = np.einsum("ij,ij->i", x, x)
        return np.tanh(self.gamma * squared_norm + self.coef0)


@dataclass(frozen=True)
class UserKernel:
    """Kernel given as a callable k(X, Y) -> matrix, as in scikit-learn's SVC."""

    function: Callable[[Any, Any], Any]

    def __call__(self, x: FloatArray, y: FloatArray) -> FloatArray:
        matrix = np.asarray(self.function(x, y), dtype=np.float64)
        if matrix.shape != (x.shape[0], y.shape[0]):
            raise ValueError(
                f"The kernel callable returned shape {matrix.shape} for {x.shape[0]} and "
                f"{y.shape[0]} rows; expected {(x.shape[0], y.shape[0])}. Return one row per row "
                "of the first argument and one column per row of the second."
            )
        return matrix

    def diagonal(self, x: FloatArray) -> FloatArray:
        return np.array([self(x[i : i + 1], x[i : i + 1])[0, 0] for i in range(x.shape[0])])


class Precomputed:
    """Precomputed kernel: the training rows are K, and new rows are k(x, training rows)."""

    def __call__(self, x: FloatArray, y: NDArray[np.intp]) -> FloatArray:
        return x[:, y]

    def diagonal(self, x: FloatArray) -> FloatArray:
        return np.diagonal(x).copy()


Kernel = RBF | Polynomial | Sigmoid | UserKernel | Precomputed


def resolve_kernel(kernel: Any, *, gamma: float, degree: float, coef0: float) -> Kernel | None:
    """Return the kernel for the parameters of an estimator; None for the linear kernel."""
    if callable(kernel):
        return UserKernel(kernel)
    choices: dict[str, Kernel | None] = {
        "linear": None,
        "rbf": RBF(gamma),
        "poly": Polynomial(gamma, degree, coef0),
        "sigmoid": Sigmoid(gamma, coef0),
        "precomputed": Precomputed(),
    }
    return choices[kernel]


def resolve_gamma(gamma: float | str, x: FloatArray, weight: FloatArray) -> float:
    """Return gamma as in scikit-learn; "scale" uses the variance of the weighted rows."""
    if gamma == "auto":
        return 1.0 / float(x.shape[1])
    if gamma == "scale":
        total = weight.sum() * x.shape[1]
        reference = x[0, 0]
        mean = reference + (weight @ (x - reference)).sum() / total
        variance = float((weight @ (x - mean) ** 2).sum() / total)
        return float(1.0 / (x.shape[1] * variance)) if variance > 0.0 else 1.0
    return float(gamma)


def in_blocks(n_rows: int, n_columns: int) -> list[slice]:
    """Return slices that divide n_rows into blocks of about _BLOCK_CELLS cells."""
    size = max(16, _BLOCK_CELLS // max(1, n_columns))
    return [slice(start, start + size) for start in range(0, n_rows, size)]
