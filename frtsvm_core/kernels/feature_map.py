"""Kernels as feature maps: every plane is solved as a linear one.

The paper's kernel plane is k(x, X)w + b with penalty |w|^2. With K = FF' and F'WF = RR' (W the row
weights) it equals a linear plane in the coordinates F(x) with g = Rt:

    k(x, X)w = F(x).g,     |w| = |t|,     sqrt(w'Kw) = |g|          (docs/maths.md, eq. 16-18)

so a map consists of the rows F, the root R of the penalty, and the way back from g to what prediction
needs. For the linear kernel F = X and R = I. Penalizing |g|^2 = w'Kw instead, as the linear kernel does
in its own space, is R = I for every kernel.
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

#: What the margin term of a kernel plane measures: |w|^2 as in the paper, or |g|^2 = w'Kw.
PENALTIES = ("coefficients", "function")


@dataclass(frozen=True)
class FeatureMap:
    """What the twin problem sees of the kernel."""

    rows: FloatArray  # F, one row per training row
    root: FloatArray | None  # R with RR' = F'WF; None where R = I
    back: FloatArray | None  # matrix from g to coefficients over the base; None where they are g
    landmarks: Any  # rows, or for a precomputed kernel row numbers, that prediction needs; or None
    rank: int
    residual: float

    def coefficients(self, g: FloatArray) -> FloatArray:
        """Coefficients over x (linear) or k(x, landmarks), for plane directions g (one per row)."""
        return g if self.back is None else g @ self.back


def linear_map(x: FloatArray) -> FeatureMap:
    """F = X; with more features than rows, X in an orthonormal basis of its row space."""
    n_rows, n_features = x.shape
    if n_features <= n_rows:
        return FeatureMap(x, None, None, None, n_features, 0.0)
    basis, coordinates = qr(x.T, mode="economic")
    rows = np.ascontiguousarray(coordinates.T, dtype=np.float64)
    back = np.asarray(basis.T, dtype=np.float64)
    return FeatureMap(rows, None, back, None, n_rows, 0.0)


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
    """F by pivoted Cholesky: exact for `rank=None`, to a tolerance for "auto", capped for an int."""
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
        back=inverse,
        landmarks=pivots if isinstance(kernel, Precomputed) else x[pivots],
        rank=pivots.size,
        residual=factor.residual,
    )


def _penalty_root(rows: FloatArray, weight: FloatArray) -> FloatArray:
    """A lower triangular R with RR' = F'WF."""
    weighted = rows if np.all(weight == 1.0) else rows * np.sqrt(weight)[:, None]
    try:
        root: FloatArray = cholesky(weighted.T @ weighted, lower=True)
    except LinAlgError:
        # Squaring lost the smallest singular values; QR keeps them.
        root = np.ascontiguousarray(qr(weighted, mode="r")[0][: rows.shape[1]].T)
    return root
