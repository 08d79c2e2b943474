"""Whitening: change of coordinates after which the matrix of the dual is Q = ZZ'.

The dual is then that of a linear support vector machine without bias on the rows of Z. With m the
(weighted) mean of the own class, S its scatter and A = R'SR + cI = LL' (docs/maths.md, section 3),

    z_i = [ L^-1 R'(F_i - m), 1/sqrt(W) ],     Q = ZZ'                    (eq. 8)

S depends only on the own class, and A only on the own class and c, so both are shared by all
opposing classes and all boxes.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky, qr, solve_triangular, svd

from frtsvm_core.memberships import class_mean

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

# Rows are centered and transformed in blocks of this many, so that no copy of all rows is needed.
_BLOCK_ROWS = 2048
# Relative error of a difference F_i - m; the factor 16 covers the sum from which m is computed.
ROUNDING = 16.0 * float(np.finfo(np.float64).eps)
# R'SR + cI represents c accurately only if c is above this share of the trace of R'SR.
MIN_RELATIVE_C = 1e3 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class ClassScatter:
    """First and second moments of one class in the coordinates F."""

    index: IntArray  # row numbers of the class
    weight: FloatArray  # weights of these rows
    total_weight: float  # W
    mean: FloatArray  # m
    scatter: FloatArray  # S = sum w (F - m)(F - m)'; 0 x 0 if it was not computed
    bias_ridge: float  # weight of an additional own row at the origin, a ridge on the bias


def class_scatter(
    rows: FloatArray,
    index: IntArray,
    weight: FloatArray,
    bias_ridge: float = 0.0,
    *,
    matrix: bool = True,
) -> ClassScatter:
    """Compute the moments of a class in two passes, block by block, without a copy of its rows.

    `matrix=False` skips the second moments, which are not needed for a class of few rows.
    """
    class_weight = weight[index]
    mean = class_mean(rows, index, weight)
    total = float(class_weight.sum())
    if bias_ridge > 0.0:
        mean = mean * (total / (total + bias_ridge))
        total += bias_ridge
    if not matrix:
        return ClassScatter(index, class_weight, total, mean, np.empty((0, 0)), bias_ridge)
    scatter = bias_ridge * np.outer(mean, mean)
    unit = bool((class_weight == 1.0).all())
    for start in range(0, index.size, _BLOCK_ROWS):
        block = slice(start, start + _BLOCK_ROWS)
        centred = rows[index[block]]
        centred -= mean
        if not unit:
            centred *= np.sqrt(class_weight[block, None])
        scatter += centred.T @ centred
    return ClassScatter(index, class_weight, total, mean, scatter, bias_ridge)


class Whitening(ABC):
    """Change of coordinates T for one class and one c, with its transpose."""

    own: ClassScatter

    @abstractmethod
    def transform_rows(self, centred: FloatArray) -> FloatArray:
        """Return T(F - m) for centered rows F - m, where T'T = R A^-1 R'."""

    @abstractmethod
    def transform_back(self, direction: FloatArray) -> FloatArray:
        """Return T' times a direction."""

    @abstractmethod
    def norm(self) -> float:
        """Return a bound on the norm of T."""

    def apply(self, rows: FloatArray, index: IntArray) -> FloatArray:
        """Return Z for rows[index]."""
        width = rows.shape[1]
        z = np.empty((index.size, width + 1))
        for start in range(0, index.size, _BLOCK_ROWS):
            block = slice(start, start + _BLOCK_ROWS)
            centred = rows[index[block]]
            centred -= self.own.mean
            z[block, :width] = self.transform_rows(centred)
        z[:, width] = 1.0 / np.sqrt(self.own.total_weight)
        return z

    def rounding(self) -> float:
        """Return a bound on the error of a whitened row that is due to the rounding of F_i - m."""
        return ROUNDING * self.norm() * float(np.linalg.norm(self.own.mean))

    def plane(self, v: FloatArray, sign: float) -> tuple[FloatArray, float]:
        """Return (g, b) of the plane F.g + b = 0 for the whitened solution v."""
        g = sign * self.transform_back(v[:-1])
        return g, float(sign * v[-1] / np.sqrt(self.own.total_weight) - self.own.mean @ g)


@dataclass(frozen=True)
class DenseWhitening(Whitening):
    """Whitening with T = L^-1 R' as a dense matrix."""

    own: ClassScatter
    transform: FloatArray

    def transform_rows(self, centred: FloatArray) -> FloatArray:
        return centred @ self.transform.T

    def transform_back(self, direction: FloatArray) -> FloatArray:
        return self.transform.T @ direction

    def norm(self) -> float:
        return float(np.linalg.norm(self.transform))


@dataclass(frozen=True)
class ThinWhitening(Whitening):
    """Whitening with T = A^-1/2 for R = I and a class of fewer rows than columns.

    Such a class has nonzero scatter only along its few right singular vectors V, with singular
    values s: A^-1/2 = (I - V diag(d) V') / sqrt(c), d = 1 - sqrt(c / (s^2 + c)).
    """

    own: ClassScatter
    c: float
    vectors: FloatArray  # V, one column per singular value
    damping: FloatArray  # d

    def transform_rows(self, centred: FloatArray) -> FloatArray:
        moved: FloatArray = centred - (centred @ self.vectors * self.damping) @ self.vectors.T
        moved /= np.sqrt(self.c)
        return moved

    def transform_back(self, direction: FloatArray) -> FloatArray:
        moved: FloatArray = self.transform_rows(direction[None])[0]
        return moved

    def norm(self) -> float:
        return float(np.sqrt(self.vectors.shape[0] / self.c))


def is_thin(n_own: int, width: int) -> bool:
    """Whether a class has so few rows that `ThinWhitening` is cheaper than a dense matrix."""
    return 2 * (n_own + 1) < width


def whiten(rows: FloatArray, own: ClassScatter, root: FloatArray | None, c: float) -> Whitening:
    """Compute the whitening of a class for the regularization c."""
    width = rows.shape[1]
    if own.scatter.size < width**2:
        _, singular, transposed = svd(centred_rows(rows, own, root), full_matrices=False)
        if root is None and c > MIN_RELATIVE_C * float(singular @ singular):
            damping = 1.0 - np.sqrt(c / (singular**2 + c))
            return ThinWhitening(own, c, np.ascontiguousarray(transposed.T), damping)
        lower = _lower_from_rows(rows, own, root, c)
    else:
        lower = _lower_from_scatter(rows, own, root, c)
    right = np.eye(width) if root is None else np.ascontiguousarray(root.T)
    transform = solve_triangular(lower, right, lower=True)
    return DenseWhitening(own, np.ascontiguousarray(transform))


def _lower_from_scatter(
    rows: FloatArray, own: ClassScatter, root: FloatArray | None, c: float
) -> FloatArray:
    """Compute L by Cholesky factorization; by QR if R'SR + cI does not represent c accurately."""
    matrix = own.scatter if root is None else root.T @ own.scatter @ root
    if c > MIN_RELATIVE_C * float(np.trace(matrix)):
        try:
            lower: FloatArray = cholesky(matrix + c * np.eye(matrix.shape[0]), lower=True)
            return lower
        except LinAlgError:
            pass
    return _lower_from_rows(rows, own, root, c)


def _lower_from_rows(
    rows: FloatArray, own: ClassScatter, root: FloatArray | None, c: float
) -> FloatArray:
    """Compute L by QR factorization of the rows.

    The rows are not squared, so c is not lost in rounding errors.
    """
    width = rows.shape[1]
    stacked = np.vstack([centred_rows(rows, own, root), np.sqrt(c) * np.eye(width)])
    return np.ascontiguousarray(qr(stacked, mode="r")[0][:width].T)


def centred_rows(rows: FloatArray, own: ClassScatter, root: FloatArray | None) -> FloatArray:
    """Return the centered and weighted rows of the class: a matrix M with M'M = R'SR."""
    centred: FloatArray = (rows[own.index] - own.mean) * np.sqrt(own.weight)[:, None]
    if own.bias_ridge > 0.0:
        centred = np.vstack([centred, -np.sqrt(own.bias_ridge) * own.mean])
    return centred if root is None else centred @ root
