"""Kernels as feature maps, so that every plane is solved as a linear problem.

The paper's kernel plane is k(x, X)w + b with penalty |w|^2. With K = FF' and F'WF = RR' (W the row
weights) it equals a linear plane in the coordinates F(x) with g = Rt:

    k(x, X)w = F(x).g,     |w| = |t|,     sqrt(w'Kw) = |g|          (docs/maths.md, eq. 16-18)

so a feature map consists of the rows F, the root R of the penalty, and the matrix that converts g
to the coefficients used for prediction. For the linear kernel F = X and R = I. With
penalty="function", which penalizes |g|^2 = w'Kw instead, R = I for every kernel.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky, qr, solve_triangular

from frtsvm_core.kernels.functions import Kernel, Precomputed
from frtsvm_core.kernels.pivoted_cholesky import pivoted_cholesky
from frtsvm_core.kernels.rank import EXACT_ROWS, affordable_rank

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

#: Margin term of a kernel plane: |w|^2 as in the paper ("coefficients"), or |g|^2 = w'Kw
#: ("function").
PENALTIES = ("coefficients", "function")


@dataclass(frozen=True)
class FeatureMap:
    """Training rows in the coordinates in which planes are linear."""

    rows: FloatArray  # F, one row per training row
    root: FloatArray | None  # R with RR' = F'WF; None if R = I
    to_coefficients: FloatArray | None  # coefficients are g @ to_coefficients; None if they are g
    landmarks: Any  # rows that prediction needs, row numbers if precomputed; None if linear
    rank: int
    residual: float  # share of the trace of the kernel that F leaves out

    def coefficients(self, g: FloatArray) -> FloatArray:
        """Return the coefficients of x or k(x, landmarks) for directions g, one per row."""
        return g if self.to_coefficients is None else g @ self.to_coefficients


def linear_map(x: FloatArray) -> FeatureMap:
    """Return F = X; with more features than rows, X in an orthonormal basis of its row space."""
    n_rows, n_features = x.shape
    if n_features <= n_rows:
        return FeatureMap(x, None, None, None, n_features, 0.0)
    basis, coordinates = qr(x.T, mode="economic")
    rows = np.ascontiguousarray(coordinates.T, dtype=np.float64)
    to_coefficients = np.asarray(basis.T, dtype=np.float64)
    return FeatureMap(rows, None, to_coefficients, None, n_rows, 0.0)


def kernel_map(
    kernel: Kernel,
    x: FloatArray,
    weight: FloatArray,
    *,
    rank: int | str | None,
    tol: float,
    penalty: str = "coefficients",
    rng: np.random.Generator,
) -> FeatureMap:
    """Compute F by pivoted Cholesky factorization.

    `rank=None` is exact, "auto" stops at the tolerance or at an affordable rank, and an int stops
    at the tolerance or at this rank.
    """
    n_rows = x.shape[0]
    max_rank = n_rows
    if rank is None or (rank == "auto" and n_rows <= EXACT_ROWS):
        tol = 0.0
    elif rank == "auto":
        max_rank = min(n_rows, affordable_rank(n_rows))
    else:
        max_rank = min(n_rows, int(rank))

    def block(rows: IntArray, columns: IntArray) -> FloatArray:
        if isinstance(kernel, Precomputed):
            return x[np.ix_(rows, columns)]
        return kernel(x[rows], x[columns])

    factor = pivoted_cholesky(block, kernel.diagonal(x), tol=tol, max_rank=max_rank, rng=rng)
    rows, pivots = factor.rows, factor.pivots
    # F(x) = Lp^-1 k(P, x), so F(x).g = k(x, P) Lp^-T g.
    inverse = solve_triangular(rows[pivots], np.eye(pivots.size), lower=True)
    return FeatureMap(
        rows=rows,
        root=_penalty_root(rows, weight) if penalty == "coefficients" else None,
        to_coefficients=inverse,
        landmarks=pivots if isinstance(kernel, Precomputed) else x[pivots],
        rank=pivots.size,
        residual=factor.residual,
    )


def _penalty_root(rows: FloatArray, weight: FloatArray) -> FloatArray:
    """Return a lower triangular R with RR' = F'WF."""
    weighted = rows if np.all(weight == 1.0) else rows * np.sqrt(weight)[:, None]
    try:
        root: FloatArray = cholesky(weighted.T @ weighted, lower=True)
    except LinAlgError:
        # Squaring has lost the smallest singular values; QR preserves them.
        root = np.ascontiguousarray(qr(weighted, mode="r")[0][: rows.shape[1]].T)
    return root
