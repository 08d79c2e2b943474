"""Kernel functions as matrices that are never formed whole.

A `Kernel` gives what the factorization and prediction need: the diagonal and single columns for the
training rows, and k(x, landmarks) for new rows. `resolve_kernel` turns the estimator's parameters
into one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
KernelFunction = Callable[[FloatArray, FloatArray], FloatArray]

KERNEL_NAMES = ("linear", "rbf", "poly", "sigmoid", "precomputed")

# Rows of a block: large enough for fast matrix products, small enough for the cache.
_BLOCK_CELLS = 1 << 18


@dataclass(frozen=True)
class RBF:
    """exp(-gamma |x - y|^2); the paper's g is gamma = 1/g^2."""

    gamma: float

    def __call__(self, x: FloatArray, y: FloatArray) -> FloatArray:
        # |x|^2 - 2x.y + |y|^2 loses digits when all rows lie far from the origin: move them there.
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
    """(gamma x.y + coef0)^degree."""

    gamma: float
    degree: float
    coef0: float

    def __call__(self, x: FloatArray, y: FloatArray) -> FloatArray:
        return self._power(x @ y.T)

    def diagonal(self, x: FloatArray) -> FloatArray:
        return self._power(np.einsum("ij,ij->i", x, x))

    def _power(self, products: FloatArray) -> FloatArray:
        # Overflow shows as an infinity, which the factorization reports.
        with np.errstate(over="ignore"):
            result: FloatArray = (self.gamma * products + self.coef0) ** self.degree
        return result


@dataclass(frozen=True)
class Sigmoid:
    """tanh(gamma x.y + coef0): a kernel for some parameters only, which the factorization checks."""

    gamma: float
    coef0: float

    def __call__(self, x: FloatArray, y: FloatArray) -> FloatArray:
        return np.tanh(self.gamma * (x @ y.T) + self.coef0)

    def diagonal(self, x: FloatArray) -> FloatArray:
        squared_norm: FloatArray = np.einsum("ij,ij->i", x, x)
        return np.tanh(self.gamma * squared_norm + self.coef0)


@dataclass(frozen=True)
class UserKernel:
    """A callable k(X, Y) -> matrix, as scikit-learn's SVC takes it."""

    function: Callable[[Any, Any], Any]

    def __call__(self, x: FloatArray, y: FloatArray) -> FloatArray:
        matrix = np.asarray(self.function(x, y), dtype=np.float64)
        if matrix.shape != (x.shape[0], y.shape[0]):
            raise ValueError(
                f"the kernel callable returned shape {matrix.shape} for {x.shape[0]} and "
                f"{y.shape[0]} rows; expected {(x.shape[0], y.shape[0])}"
            )
        return matrix

    def diagonal(self, x: FloatArray) -> FloatArray:
        return np.array([self(x[i : i + 1], x[i : i + 1])[0, 0] for i in range(x.shape[0])])


class Precomputed:
    """The rows *are* kernel values: training rows are K, new rows are k(x, training rows)."""

    def __call__(self, x: FloatArray, y: NDArray[np.intp]) -> FloatArray:
        return x[:, y]

    def diagonal(self, x: FloatArray) -> FloatArray:
        return np.diagonal(x).copy()


Kernel = RBF | Polynomial | Sigmoid | UserKernel | Precomputed


def resolve_kernel(kernel: Any, *, gamma: float, degree: float, coef0: float) -> Kernel | None:
    """The kernel for an estimator's parameters; None is the linear kernel, which needs no matrix."""
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
    """scikit-learn's "scale" and "auto"; the variance counts a row as often as its weight says."""
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
    """Slices that cut n_rows into blocks of about _BLOCK_CELLS cells."""
    size = max(16, _BLOCK_CELLS // max(1, n_columns))
    return [slice(start, start + size) for start in range(0, n_rows, size)]
