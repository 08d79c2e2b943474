"""Active-set method that solves a nearly converged dual problem to the level of rounding errors.

Coordinate descent quickly finds which coordinates are at 0 or at the upper bound, but then
converges only linearly to the values of the others. From there, solving a few small linear systems
suffices. Let F be the free set: the coordinates strictly between their bounds. The solution d of

    Q_FF d = -(Qa - e)_F                                                (docs/maths.md, eq. 14)

is the Newton step to the minimum over F. A step that would leave the box ends at the first bound,
and that coordinate leaves F. After a full step, the few coordinates at bounds whose gradient
violates optimality most join F. Every step decreases the objective of the minimization (eq. 9), so
the result is never worse than the start.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, qr

FloatArray = NDArray[np.float64]

# If the linear systems would take more operations than this in total, further sweeps are used
# instead.
_MAX_OPERATIONS = 2e9
# Number of violating coordinates that join in one step; if more join, most leave again one by one.
_JOIN_AT_ONCE = 3
# A gradient of the wrong sign below this is a rounding error.
_GRADIENT_ROUNDING = 1e-12
# Added to the diagonal of Q_FF, relative to its largest entry. With repeated rows, or more rows
# than columns, the system is singular, and this makes the step long instead of infinite.
_RIDGE = 1e-13
# The part of the gradient outside the range of Z_F is a rounding error below this share of the
# gradient.
_OUTSIDE_RANGE = 1e-8


@dataclass(frozen=True)
class Refinement:
    """Result of `refine`."""

    alpha: FloatArray
    n_steps: int
    exact: bool  # all optimality conditions are met, up to rounding errors


def refine(rows: FloatArray, bound: FloatArray, alpha: FloatArray) -> Refinement:
    """Take active-set steps from `alpha` until all optimality conditions are met.

    Stops early, with `exact=False`, if the free set is too large for this method or after 100 steps
    plus twice the size of the first free set.
    """
    alpha = alpha.copy()
    v = rows.T @ alpha
    free = (alpha > 0.0) & (alpha < bound)
    max_steps = 100 + 2 * int(free.sum())
    products = _Products(rows)
    for step in range(max_steps):
        index = np.flatnonzero(free)
        if _operations(index.size, rows.shape[1]) > _MAX_OPERATIONS:
            return Refinement(alpha, step, exact=False)
        if index.size:
            block, value, room = rows[index], alpha[index], bound[index]
            direction, longest = _direction(index, block, block @ v - 1.0, products)
            moved, stopped = _step_in_box(direction, longest, value, room)
            v += block.T @ (moved - value)
            alpha[index] = moved
            if stopped.any():
                free[index[stopped]] = False
                continue
        joining = _worst_outside(rows @ v - 1.0, alpha, bound, free)
        if not joining.size:
            return Refinement(alpha, step + 1, exact=True)
        free[joining] = True
    return Refinement(alpha, max_steps, exact=False)


class _Products:
    """Compute Q_FF for changing F, caching the products of all rows that have been in F."""

    def __init__(self, rows: FloatArray) -> None:
        self._rows = rows
        self._position = np.full(rows.shape[0], -1)
        self._known = np.empty(0, dtype=np.intp)
        self._gram = np.empty((0, 0))

    def among(self, index: NDArray[np.intp]) -> FloatArray:
        """Return Q_FF for F = `index`."""
        new = index[self._position[index] < 0]
        if new.size:
            self._add(new)
        position = self._position[index]
        gram: FloatArray = self._gram[np.ix_(position, position)]
        return gram

    def _add(self, new: NDArray[np.intp]) -> None:
        known = np.concatenate([self._known, new])
        self._position[new] = np.arange(self._known.size, known.size)
        columns = self._rows[known] @ self._rows[new].T
        gram = np.empty((known.size, known.size))
        gram[: self._known.size, : self._known.size] = self._gram
        gram[:, self._known.size :] = columns
        gram[self._known.size :, :] = columns.T
        self._known, self._gram = known, gram


def _operations(n_free: int, width: int) -> float:
    """Estimate the operations of all steps if each removes one coordinate until `width` remain."""
    per_step = float(n_free) ** 2 * width if n_free <= width else float(n_free) * width**2
    return per_step * max(1, n_free - width)


def _direction(
    index: NDArray[np.intp], block: FloatArray, gradient: FloatArray, products: _Products
) -> tuple[FloatArray, float]:
    """Return the step direction and its largest length.

    With more free rows than columns, the gradient usually has a part outside the range of Z_F.
    Along that part the objective decreases without bound, and only the box limits the step (eq. 15;
    length infinity). Otherwise it is the step to the minimum over the free set (eq. 14; length 1).
    """
    n_free, width = block.shape
    if n_free > width:
        basis = qr(block, mode="economic", check_finite=False)[0]
        outside = gradient - basis @ (basis.T @ gradient)
        if np.abs(outside).max() > _OUTSIDE_RANGE * np.abs(gradient).max():
            return -outside, np.inf
    gram = products.among(index)
    gram.flat[:: n_free + 1] += _RIDGE * np.diagonal(gram).max()
    factor = cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)
    return -cho_solve(factor, gradient, check_finite=False), 1.0


def _step_in_box(
    step: FloatArray, longest: float, value: FloatArray, bound: FloatArray
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Take the step up to the first bound; return the new values and which reach a bound."""
    falling, rising = step < 0.0, step > 0.0
    reach = np.full(value.shape, np.inf)
    reach[falling] = value[falling] / -step[falling]
    reach[rising] = (bound[rising] - value[rising]) / step[rising]
    length = float(reach.min())
    if length >= longest:
        return np.clip(value + step, 0.0, bound), np.zeros(value.shape, dtype=bool)
    stopped = reach <= length
    moved = np.clip(value + length * step, 0.0, bound)
    moved[stopped & falling] = 0.0
    moved[stopped & rising] = bound[stopped & rising]
    return moved, stopped


def _worst_outside(
    gradient: FloatArray, alpha: FloatArray, bound: FloatArray, free: NDArray[np.bool_]
) -> NDArray[np.intp]:
    """Return the coordinates at a bound that violate optimality most."""
    violation = np.where(alpha == 0.0, -gradient, gradient)
    violation[free | (bound == 0.0)] = 0.0
    rounding = _GRADIENT_ROUNDING * (1.0 + float(np.abs(gradient).max(initial=0.0)))
    violating = np.flatnonzero(violation > rounding)
    return violating[np.argsort(-violation[violating])[:_JOIN_AT_ONCE]]
