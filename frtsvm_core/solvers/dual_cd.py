"""Dual coordinate descent with shrinking: order of the sweeps, stopping tests and callbacks.

Given Z (n x p) and the box C, solves

    min  1/2 a'ZZ'a - e'a    s.t.  0 <= a <= C                      (docs/maths.md, eq. 9)

and returns a together with v = Z'a. Stops when the projected gradient of *every* coordinate lies
in an interval of length `tol`, measured over a sweep of the full set. The margin in the primal is
1, so the gradient z_i.v - 1 has scale 1 whatever the scale of the data, and `tol` needs no scaling.

Shrinking (Algorithm 2 of the paper, corrected as in docs/maths.md, section 6) only omits
coordinates from sweeps. Convergence on the remaining ones restores the full set and never ends
the run. Each sweep is one call of a compiled function, so a callback can report progress or cancel
between two sweeps.

Callbacks also receive the duality gap, which costs one product with Z. It is computed after each of
the first sweeps and then less and less often, and only if the sweeps since the last time have
visited at least as many coordinates as there are rows. It is always computed for the sweep that
ends the run.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frtsvm_core.solvers._dual_cd_sweep import sweep_gram, sweep_rows
from frtsvm_core.solvers.duality import objectives, relative

FloatArray = NDArray[np.float64]

# v (or the gradient) is recomputed from alpha after this many sweeps, so that the rounding errors
# of millions of small updates do not add up.
_REFRESH_EVERY = 200
# Number of times that the gap is computed while the number of sweeps doubles.
_GAPS_PER_DOUBLING = 8


@dataclass(frozen=True)
class Sweep:
    """Report on one sweep."""

    number: int  # counted from 1
    violation: float  # M - m, the spread of the projected gradient
    n_active: int  # active coordinates after the sweep
    relative_gap: float | None = None  # None if it was not computed


@dataclass(frozen=True)
class DualSolution:
    """Result of `solve_dual`."""

    alpha: FloatArray
    v: FloatArray  # Z'alpha
    n_sweeps: int
    n_visits: int  # coordinates visited, over all sweeps
    converged: bool


SweepCallback = Callable[[Sweep], None]


class _RowGradient:
    """Gradient computed from v = Z'a; used with more rows than columns."""

    def __init__(self, rows: FloatArray, bound: FloatArray, alpha: FloatArray) -> None:
        self._rows, self._bound, self._alpha = rows, bound, alpha
        self._curvature = np.einsum("ij,ij->i", rows, rows)
        self.refresh()

    def refresh(self) -> None:
        self._v = self._rows.T @ self._alpha

    def relative_gap(self) -> float:
        gradient = self._rows @ self._v - 1.0
        half_square = 0.5 * float(self._v @ self._v)
        return relative(*objectives(gradient, self._bound, self._alpha, half_square))

    def sweep(
        self, active: NDArray[np.intp], n_active: int, upper: float, lower: float
    ) -> tuple[float, float, int]:
        result: tuple[float, float, int] = sweep_rows(
            self._rows, self._curvature, self._bound, self._alpha, self._v,
            active, n_active, upper, lower,
        )  # fmt: skip
        return result


class _GramGradient:
    """Gradient updated with the explicit Q; used with at most as many rows as columns."""

    def __init__(self, rows: FloatArray, bound: FloatArray, alpha: FloatArray) -> None:
        self._bound, self._alpha = bound, alpha
        self._gram = rows @ rows.T
        self.refresh()

    def refresh(self) -> None:
        self._gradient = self._gram @ self._alpha - 1.0

    def relative_gap(self) -> float:
        half_square = 0.5 * float(self._alpha @ (self._gradient + 1.0))
        return relative(*objectives(self._gradient, self._bound, self._alpha, half_square))

    def sweep(
        self, active: NDArray[np.intp], n_active: int, upper: float, lower: float
    ) -> tuple[float, float, int]:
        result: tuple[float, float, int] = sweep_gram(
            self._gram, self._bound, self._alpha, self._gradient,
            active, n_active, upper, lower,
        )  # fmt: skip
        return result


def solve_dual(
    rows: FloatArray,
    bound: FloatArray,
    *,
    tol: float,
    max_sweeps: int,
    shrinking: bool,
    rng: np.random.Generator,
    start: FloatArray | None = None,
    callback: SweepCallback | None = None,
) -> DualSolution:
    """Solve the dual of one plane by coordinate descent.

    `shrinking=False` is the paper's Algorithm 1 (every coordinate in every sweep, in the order of
    the rows), `True` its Algorithm 2 (random order, shrinking).
    """
    n_rows = rows.shape[0]
    alpha = np.zeros(n_rows) if start is None else np.clip(start, 0.0, bound)
    gradient_type = _GramGradient if n_rows <= rows.shape[1] else _RowGradient
    gradient = gradient_type(rows, bound, alpha)

    active = np.arange(n_rows)
    n_active, n_visits, converged = n_rows, 0, False
    upper, lower = np.inf, -np.inf
    n_sweeps = visits_at_gap = 0
    while n_sweeps < max_sweeps and not converged:
        if shrinking:
            rng.shuffle(active[:n_active])
        n_visits += n_active
        largest, smallest, n_active = gradient.sweep(active, n_active, upper, lower)
        n_sweeps += 1
        violation = largest - smallest
        # Only a sweep over the full set can end the run.
        converged = violation <= tol and n_active == n_rows
        if callback is not None:
            gap = None
            is_due = _gap_is_due(n_sweeps) and n_visits - visits_at_gap >= n_rows
            if converged or n_sweeps == max_sweeps or is_due:
                gap, visits_at_gap = gradient.relative_gap(), n_visits
            callback(Sweep(n_sweeps, violation, n_active, gap))
        if violation <= tol:
            n_active, upper, lower = n_rows, np.inf, -np.inf
        elif shrinking:
            upper = largest if largest > 0.0 else np.inf
            lower = smallest if smallest < 0.0 else -np.inf
        if n_sweeps % _REFRESH_EVERY == 0:
            gradient.refresh()
    return DualSolution(alpha, rows.T @ alpha, n_sweeps, n_visits, converged)


def _gap_is_due(number: int) -> bool:
    """Whether to compute the gap: after the first sweeps, then 8 times per doubling of `number`."""
    step = (1 << (number.bit_length() - 1)) // _GAPS_PER_DOUBLING
    return number % max(1, step) == 0
