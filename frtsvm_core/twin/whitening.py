"""The small matrix of a plane: class scatter, regularization, and the change of coordinates that
turns the dual into a box-constrained problem on one array (docs/maths.md, section 3).

With m the (weighted) mean of the own class, S its scatter and A = R'SR + cI = LL',

    z_i = [ L^-1 R'(F_i - m), 1/sqrt(W) ],     Q = ZZ'                    (eq. 8)

The scatter depends on the own class alone and A on it and c, so every opposing class and every box
share them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky, qr, solve_triangular

from frtsvm_core.memberships import class_mean

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

_BLOCK_ROWS = 2048
# c is resolved by R'SR + cI only while it stands this far above the rounding of the trace.
RESOLVED = 1e3 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class ClassScatter:
    """First and second moments of one class in the coordinates F."""

    index: IntArray  # the rows of the class
    weight: FloatArray  # their weights
    total_weight: float  # W
    mean: FloatArray  # m
    scatter: FloatArray  # S = sum w (F - m)(F - m)'
    bias_ridge: float  # weight of a further own row at the origin: a ridge on the bias


def class_scatter(
    rows: FloatArray, index: IntArray, weight: FloatArray, bias_ridge: float = 0.0
) -> ClassScatter:
    """Moments in two passes over the class, block by block, so that no copy of it is made."""
    class_weight = weight[index]
    mean = class_mean(rows, index, weight)
    total = float(class_weight.sum())
    if bias_ridge > 0.0:
        mean = mean * (total / (total + bias_ridge))
        total += bias_ridge
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


@dataclass(frozen=True)
class Whitening:
    """The change of coordinates of one class for one c, and its way back."""

    own: ClassScatter
    lower: FloatArray  # L
    root: FloatArray | None  # R, None for I
    transform: FloatArray  # L^-1 R'

    def apply(self, rows: FloatArray, index: IntArray) -> FloatArray:
        """Z for rows[index]."""
        width = self.transform.shape[0]
        z = np.empty((index.size, width + 1))
        for start in range(0, index.size, _BLOCK_ROWS):
            block = slice(start, start + _BLOCK_ROWS)
            centred = rows[index[block]]
            centred -= self.own.mean
            z[block, :width] = centred @ self.transform.T
        z[:, width] = 1.0 / np.sqrt(self.own.total_weight)
        return z

    def rounding(self) -> float:
        """How much of a whitened row can be rounding of F_i - m."""
        spread = float(np.linalg.norm(self.transform) * np.linalg.norm(self.own.mean))
        return 16.0 * float(np.finfo(np.float64).eps) * spread

    def plane(self, v: FloatArray, sign: float) -> tuple[FloatArray, float]:
        """(g, b) of the plane F.g + b for the whitened solution v."""
        g = sign * (self.transform.T @ v[:-1])
        return g, float(sign * v[-1] / np.sqrt(self.own.total_weight) - self.own.mean @ g)


def whiten(rows: FloatArray, own: ClassScatter, root: FloatArray | None, c: float) -> Whitening:
    matrix = own.scatter if root is None else root.T @ own.scatter @ root
    width = matrix.shape[0]
    trace = float(np.trace(matrix))
    lower: FloatArray | None = None
    if c > RESOLVED * trace:
        try:
            lower = cholesky(matrix + c * np.eye(width), lower=True)
        except LinAlgError:
            lower = None
    if lower is None:
        lower = _lower_from_rows(rows, own, root, c)
    right = np.eye(width) if root is None else np.ascontiguousarray(root.T)
    transform = solve_triangular(lower, right, lower=True)
    return Whitening(own, lower, root, np.ascontiguousarray(transform))


def _lower_from_rows(
    rows: FloatArray, own: ClassScatter, root: FloatArray | None, c: float
) -> FloatArray:
    """L by QR of the rows themselves: their squares would drown c in rounding."""
    width = rows.shape[1]
    stacked = np.vstack([centred_rows(rows, own, root), np.sqrt(c) * np.eye(width)])
    return np.ascontiguousarray(qr(stacked, mode="r")[0][:width].T)


def centred_rows(rows: FloatArray, own: ClassScatter, root: FloatArray | None) -> FloatArray:
    """A matrix M with M'M = R'SR: the centred and weighted rows of the class."""
    centred: FloatArray = (rows[own.index] - own.mean) * np.sqrt(own.weight)[:, None]
    if own.bias_ridge > 0.0:
        centred = np.vstack([centred, -np.sqrt(own.bias_ridge) * own.mean])
    return centred if root is None else centred @ root
