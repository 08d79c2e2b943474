"""Randomly pivoted Cholesky factorization in blocks: K ~ FF' from a few columns of K.

K has l rows, and F has m columns, one per pivot.

Pivots are drawn with probability proportional to the diagonal of the residual K - FF' (Chen,
Epperly, Tropp & Webber, "Randomly pivoted Cholesky", 2022), several at a time. An ordinary pivoted
Cholesky factorization of the drawn block leaves out redundant pivots. Only the columns of the
pivots are computed, so time is O(l m^2) and memory O(l m). The trace of the residual is known
exactly at every step and decides when to stop.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
KernelBlock = Callable[[IntArray, IntArray], FloatArray]  # row and column numbers -> entries of K

# Up to this many rows, one block of all rows with greedy pivoting is faster than drawing pivots.
_SINGLE_BLOCK_ROWS = 256
_BLOCK_ROWS = 2048
_FIRST_BLOCK = 32
_LARGEST_BLOCK = 160
# Drawn pivots whose residual falls below this share of the largest in the block are left out.
_REDUNDANT = 1e-2
# Tolerances for a residual diagonal below 0, and for entries above the Cauchy-Schwarz bound, before
# the matrix is rejected as indefinite; wide enough for kernels computed in single precision.
_DIAGONAL_ROUNDING = 1e-4
_ENTRY_ROUNDING = 1e-3


@dataclass(frozen=True)
class KernelFactor:
    """Low-rank factor F of a kernel matrix K ~ FF'."""

    rows: FloatArray  # F, l x m: the training rows in the coordinates of the pivots
    pivots: IntArray  # m row numbers; F[pivots] is lower triangular
    residual: float  # trace(K - FF') / trace(K)


def pivoted_cholesky(
    kernel: KernelBlock,
    diagonal: FloatArray,
    *,
    tol: float,
    max_rank: int,
    rng: np.random.Generator,
) -> KernelFactor:
    """Factor the kernel matrix given by its `diagonal` and by `kernel(rows, columns)`.

    Stops when the trace of the residual is at most `tol` times the trace of the matrix, at
    `max_rank`, or when the residual consists of rounding errors. Raises ValueError if the matrix is
    not finite or not positive semi-definite.
    """
    n_rows = diagonal.size
    _require_finite(diagonal)
    trace, largest = float(diagonal.sum()), float(diagonal.max(initial=0.0))
    if diagonal.min(initial=0.0) < 0.0:
        raise _not_positive(f"k(x, x) = {diagonal.min():.3g} for row {int(diagonal.argmin())}")
    rounding = n_rows * float(np.finfo(np.float64).eps) * largest
    missing = diagonal.copy()
    # Fortran order, so that the operating system allocates memory only for the columns in use.
    factor = np.empty((n_rows, max_rank), order="F")
    pivots: list[int] = []
    block_size = _FIRST_BLOCK
    while True:
        missing[missing < rounding] = 0.0
        remaining = float(missing.sum())
        rank = len(pivots)
        if remaining <= tol * trace or rank >= max_rank:
            break
        if n_rows <= _SINGLE_BLOCK_ROWS:
            drawn = np.flatnonzero(missing)
        else:
            drawn = _draw(missing, min(block_size, max_rank - rank), rng)
        among_drawn = kernel(drawn, drawn) - factor[drawn, :rank] @ factor[drawn, :rank].T
        _require_finite(among_drawn)
        redundant = 0.0 if n_rows <= _SINGLE_BLOCK_ROWS else _REDUNDANT
        kept, lower = _independent(among_drawn, redundant, rounding)
        kept, lower = kept[: max_rank - rank], lower[: max_rank - rank, : max_rank - rank]
        chosen = drawn[kept]
        new = factor[:, rank : rank + chosen.size]
        _residual_columns(kernel, factor[:, :rank], chosen, lower, out=new)
        new[pivots] = 0.0  # the residual of an earlier pivot is exactly zero
        new[chosen] = lower
        captured = np.cumsum(np.einsum("ij,ij->j", new, new))
        n_new = min(int(np.searchsorted(captured, remaining - tol * trace)) + 1, chosen.size)
        new, chosen = new[:, :n_new], chosen[:n_new]
        missing -= np.einsum("ij,ij->i", new, new)
        worst = float(missing.min())
        rounding = max(
            rounding, -2.0 * worst
        )  # negative values show the rounding errors of the entries
        if worst < -_DIAGONAL_ROUNDING * largest:
            raise _not_positive(f"the residual of row {int(missing.argmin())} is {worst:.3g}")
        missing[chosen] = 0.0
        pivots.extend(int(i) for i in chosen)
        block_size = int(np.clip(len(pivots) // 2, _FIRST_BLOCK, _LARGEST_BLOCK))
    rows = np.ascontiguousarray(factor[:, : len(pivots)])
    del factor
    _check_residual(kernel, rows, missing, largest, rng)
    return KernelFactor(rows, np.array(pivots, dtype=np.intp), remaining / trace if trace else 0.0)


def _residual_columns(
    kernel: KernelBlock,
    factor: FloatArray,
    chosen: IntArray,
    lower: FloatArray,
    *,
    out: FloatArray,
) -> None:
    """Compute the new columns of F for the chosen pivots, (K - FF')[:, chosen] L^-T.

    It works in blocks of rows that stay in the CPU cache from the kernel to the last product.
    """
    inverse = solve_triangular(lower, np.eye(chosen.size), lower=True)
    pivot_rows = factor[chosen]
    for start in range(0, factor.shape[0], _BLOCK_ROWS):
        block = np.arange(start, min(start + _BLOCK_ROWS, factor.shape[0]))
        values = kernel(block, chosen)
        _require_finite(values)
        values -= factor[start : start + _BLOCK_ROWS] @ pivot_rows.T
        out[start : start + _BLOCK_ROWS] = values @ inverse.T


def _draw(missing: FloatArray, size: int, rng: np.random.Generator) -> IntArray:
    """Draw up to `size` different rows with probability proportional to `missing`."""
    cumulative = np.cumsum(missing)
    targets = rng.random(size) * cumulative[-1]
    drawn: IntArray = np.unique(np.searchsorted(cumulative, targets, side="right"))
    return drawn[missing[drawn] > 0.0]


def _independent(
    block: FloatArray, redundant: float, rounding: float
) -> tuple[IntArray, FloatArray]:
    """Return the non-redundant rows of `block` in pivot order, and their Cholesky factor."""
    threshold = max(redundant * float(np.diagonal(block).max()), rounding)
    factored, order, rank, _ = dpstrf(block, tol=threshold, lower=1)
    rank = max(int(rank), 1)
    return order[:rank].astype(np.intp) - 1, np.tril(factored[:rank, :rank])


def _require_finite(values: FloatArray) -> None:
    if not np.isfinite(values).all():
        raise ValueError(
            "The kernel is not finite for the training rows: the matrix has NaN or infinity. Scale "
            "the features, or choose a smaller gamma."
        )


def _check_residual(
    kernel: KernelBlock,
    factor: FloatArray,
    missing: FloatArray,
    largest: float,
    rng: np.random.Generator,
) -> None:
    """Reject a residual that violates |r_ij|^2 <= r_ii r_jj at one of a few random entries.

    This is needed because the diagonal of an indefinite residual can be 0 although other entries
    are not.
    """
    probes = np.unique(rng.integers(0, missing.size, size=4))
    others = np.unique(rng.integers(0, missing.size, size=_BLOCK_ROWS))
    residual = kernel(probes, others) - factor[probes] @ factor[others].T
    _require_finite(residual)
    excess = np.abs(residual) - np.sqrt(np.outer(missing[probes], missing[others]))
    if excess.max() > _ENTRY_ROUNDING * (largest if largest > 0.0 else 1.0):
        i, j = np.unravel_index(int(excess.argmax()), excess.shape)
        raise _not_positive(f"k(x, y) is too large for rows {int(probes[i])} and {int(others[j])}")


def _not_positive(evidence: str) -> ValueError:
    return ValueError(
        f"The kernel is not positive semi-definite for these rows ({evidence}). "
        "Choose other kernel parameters or another kernel."
    )
