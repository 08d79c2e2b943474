"""Kernel expansions: sum_j coef_pj k(x, y_j) for landmarks y_j that stay the same.

All that does not depend on x is computed once, when a model is loaded. Rows go through in blocks that
stay in the cache, and every block is worked on in place.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from frtsvm_core.kernels.functions import RBF, Kernel, in_blocks

FloatArray = NDArray[np.float64]
# Rows of a block: 128 x 1,000 landmarks is 1 MB, about what a core keeps at hand.
_BLOCK_ROWS = 128


class Expansion(Protocol):
    """Rows to values, one column per plane."""

    @property
    def nbytes(self) -> int:
        """What it holds beyond the model."""
        ...

    def __call__(self, x: FloatArray) -> FloatArray: ...


def expansion_of(kernel: Kernel | None, landmarks: Any, coef: FloatArray) -> Expansion:
    """x -> one column of values per row of `coef`; without a kernel these are weights of features."""
    if kernel is None:
        return LinearExpansion(np.ascontiguousarray(coef.T))
    if isinstance(kernel, RBF):
        return RBFExpansion.of(kernel.gamma, landmarks, coef)
    return KernelExpansion(kernel, landmarks, coef)


@dataclass(frozen=True)
class LinearExpansion:
    """x . coef."""

    weights: FloatArray  # features x planes

    @property
    def nbytes(self) -> int:
        return self.weights.nbytes

    def __call__(self, x: FloatArray) -> FloatArray:
        values: FloatArray = x.dot(self.weights)  # for one row half the time of `@`
        return values


@dataclass(frozen=True)
class KernelExpansion:
    """Any kernel, by its matrix."""

    kernel: Kernel
    landmarks: Any
    coef: FloatArray

    @property
    def nbytes(self) -> int:
        return 0

    def __call__(self, x: FloatArray) -> FloatArray:
        values = np.empty((x.shape[0], self.coef.shape[0]))
        for block in in_blocks(x.shape[0], self.coef.shape[1]):
            values[block] = self.kernel(x[block], self.landmarks) @ self.coef.T
        return values


@dataclass(frozen=True)
class RBFExpansion:
    """exp(-gamma |x - y|^2) by one matrix product, the norms included.

    With rows moved to the centre c of the landmarks, which keeps digits when all of them lie far from
    the origin, and scaled by s = sqrt(2 gamma):

        -gamma |x - y|^2 = [s(x - c), 1, -|s(x - c)|^2 / 2] . [s(y - c), -|s(y - c)|^2 / 2, 1]
    """

    centre: FloatArray
    scale: float
    factor: FloatArray  # the right-hand sides above, one column per landmark
    weights: FloatArray  # landmarks x planes

    @classmethod
    def of(cls, gamma: float, landmarks: FloatArray, coef: FloatArray) -> "RBFExpansion":
        centre = landmarks.mean(axis=0)
        scale = float(np.sqrt(2.0 * gamma))
        n_landmarks, n_features = landmarks.shape
        factor = np.empty((n_features + 2, n_landmarks))
        factor[:-2] = ((landmarks - centre) * scale).T
        np.einsum("ij,ij->j", factor[:-2], factor[:-2], out=factor[-2])
        factor[-2] *= -0.5
        factor[-1] = 1.0
        return cls(centre, scale, factor, np.ascontiguousarray(coef.T))

    @property
    def nbytes(self) -> int:
        return self.factor.nbytes + self.weights.nbytes

    def __call__(self, x: FloatArray) -> FloatArray:
        n_rows, n_features = x.shape
        size = min(n_rows, _BLOCK_ROWS)
        values = np.empty((n_rows, self.weights.shape[1]))
        left = np.empty((size, n_features + 2))
        left[:, -2] = 1.0
        products = np.empty((size, self.factor.shape[1]))
        for start in range(0, n_rows, _BLOCK_ROWS):
            block = x[start : start + _BLOCK_ROWS]
            n = block.shape[0]
            moved, norms = left[:n, :-2], left[:n, -1]
            np.subtract(block, self.centre, out=moved)
            moved *= self.scale
            np.einsum("ij,ij->i", moved, moved, out=norms)
            norms *= -0.5
            exponents = np.matmul(left[:n], self.factor, out=products[:n])
            if exponents.max(initial=0.0) > 0.0:  # rounding, at a row that is a landmark
                np.minimum(exponents, 0.0, out=exponents)
            np.exp(exponents, out=exponents)
            np.matmul(exponents, self.weights, out=values[start : start + n])
        return values
