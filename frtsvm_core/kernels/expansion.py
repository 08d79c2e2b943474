"""Kernel expansions: sum_j coef_pj k(x, y_j) with fixed landmarks y_j.

Arrays that do not depend on x are computed once, when a model is loaded. Rows are processed in
blocks that fit into the CPU cache, and each block is computed in place.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from frtsvm_core.kernels.functions import RBF, Kernel, in_blocks

FloatArray = NDArray[np.float64]
# Rows per block: 128 rows x 1,000 landmarks are 1 MB, about the size of the L2 cache of a core.
_BLOCK_ROWS = 128


class Expansion(Protocol):
    """Function from rows to values, one column per plane."""

    @property
    def nbytes(self) -> int:
        """Size in bytes of the arrays that are not part of the model itself."""
        ...

    def __call__(self, x: FloatArray) -> FloatArray: ...


def expansion_of(kernel: Kernel | None, landmarks: Any, coef: FloatArray) -> Expansion:
    """Return the expansion for `coef`, one row per plane; `kernel=None` is the linear kernel."""
    if kernel is None:
        return LinearExpansion(np.ascontiguousarray(coef.T))
    if isinstance(kernel, RBF):
        return RBFExpansion.of(kernel.gamma, landmarks, coef)
    return KernelExpansion(kernel, landmarks, coef)


@dataclass(frozen=True)
class LinearExpansion:
    """Expansion of the linear kernel: x . weights."""

    weights: FloatArray  # features x planes

    @property
    def nbytes(self) -> int:
        return self.weights.nbytes

    def __call__(self, x: FloatArray) -> FloatArray:
        values: FloatArray = x.dot(self.weights)  # takes half the time of `@` for one row
        return values


@dataclass(frozen=True)
class KernelExpansion:
    """Expansion of any kernel, by its matrix k(x, landmarks)."""

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
    """Expansion of the RBF kernel, whose exponents are computed by a single matrix product.

    Rows are shifted by the center c of the landmarks, which avoids cancellation when all rows are
    far from the origin, and scaled by s = sqrt(2 gamma):

        -gamma |x - y|^2 = [s(x - c), 1, -|s(x - c)|^2 / 2] . [s(y - c), -|s(y - c)|^2 / 2, 1]
    """

    centre: FloatArray
    scale: float
    factor: FloatArray  # the right factors of the equation above, one column per landmark
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
            if exponents.max(initial=0.0) > 0.0:  # rounding error at a row equal to a landmark
                np.minimum(exponents, 0.0, out=exponents)
            np.exp(exponents, out=exponents)
            np.matmul(exponents, self.weights, out=values[start : start + n])
        return values
