"""Finish a dual solution to rounding: an active-set method on the few coordinates between bounds.

Coordinate descent finds quickly which coordinates are at 0 or at the bound, and then closes in on the
remaining values only linearly. From there the solution is a few small linear systems away. With F the
free set, Q_FF d = -(Qa - e)_F is the step to the minimum over F (docs/maths.md, eq. 14). A step that
would leave the box ends at the first bound it meets, and that coordinate leaves F; after a full step
the coordinates whose gradient has the wrong sign are looked for, and the worst few join F. Every step
lowers the dual objective, so the result is never worse than the start.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, qr

FloatArray = NDArray[np.float64]

# Free sets whose systems would take more than this many operations in all are left to further sweeps.
_MAX_OPERATIONS = 2e9
# How many coordinates with the wrong sign join at once; more of them only leave again one by one.
_JOIN_AT_ONCE = 3
# A gradient of the wrong sign below this is rounding.
_GRADIENT_ROUNDING = 1e-12
# Added to the diagonal of Q_FF, relative to its largest entry: where rows repeat, or are more than the
# space has directions, the system is singular, and this makes the step long instead of infinite.
_RIDGE = 1e-13
# Below this share of the gradient the part outside the columns' range is rounding.
_UNANSWERED = 1e-8


@dataclass(frozen=True)
class Refinement:
    alpha: FloatArray
    n_steps: int
    exact: bool  # every optimality condition holds up to rounding


def refine(rows: FloatArray, bound: FloatArray, alpha: FloatArray) -> Refinement:
    """Steps from `alpha` until the optimality conditions hold to rounding, or their number is out of
    proportion to the free set they began with."""
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
    """Q_FF for changing F: the products of rows that were ever free are computed once."""

    def __init__(self, rows: FloatArray) -> None:
        self._rows = rows
        self._position = np.full(rows.shape[0], -1)
        self._known = np.empty(0, dtype=np.intp)
        self._gram = np.empty((0, 0))

    def among(self, index: NDArray[np.intp]) -> FloatArray:
        new = index[self._position[index] < 0]
        if new.size:
            self._learn(new)
        position = self._position[index]
        gram: FloatArray = self._gram[np.ix_(position, position)]
        return gram

    def _learn(self, new: NDArray[np.intp]) -> None:
        known = np.concatenate([self._known, new])
        self._position[new] = np.arange(self._known.size, known.size)
        columns = self._rows[known] @ self._rows[new].T
        gram = np.empty((known.size, known.size))
        gram[: self._known.size, : self._known.size] = self._gram
        gram[:, self._known.size :] = columns
        gram[self._known.size :, :] = columns.T
        self._known, self._gram = known, gram


def _operations(n_free: int, width: int) -> float:
    """Of all steps that end one coordinate each, until as many are left as there are columns."""
    per_step = float(n_free) ** 2 * width if n_free <= width else float(n_free) * width**2
    return per_step * max(1, n_free - width)


def _direction(
    index: NDArray[np.intp], block: FloatArray, gradient: FloatArray, products: _Products
) -> tuple[FloatArray, float]:
    """Where to go from here, and how much of it at most.

    With more free rows than columns the gradient usually has a part that no combination of columns
    can answer; along it the objective falls without end, and only the box stops it. Otherwise it is
    the step to the minimum over the free set.
    """
    n_free, width = block.shape
    if n_free > width:
        basis = qr(block, mode="economic", check_finite=False)[0]
        unanswered = gradient - basis @ (basis.T @ gradient)
        if np.abs(unanswered).max() > _UNANSWERED * np.abs(gradient).max():
            return -unanswered, np.inf
    gram = products.among(index)
    gram.flat[:: n_free + 1] += _RIDGE * np.diagonal(gram).max()
    factor = cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)
    return -cho_solve(factor, gradient, check_finite=False), 1.0


def _step_in_box(
    step: FloatArray, longest: float, value: FloatArray, bound: FloatArray
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """As much of the step as fits into the box, and which coordinates it takes exactly to a bound."""
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
    """The coordinates at a bound that most want to leave it."""
    wish = np.where(alpha == 0.0, -gradient, gradient)
    wish[free | (bound == 0.0)] = 0.0
    rounding = _GRADIENT_ROUNDING * (1.0 + float(np.abs(gradient).max(initial=0.0)))
    wanting = np.flatnonzero(wish > rounding)
    return wanting[np.argsort(-wish[wanting])[:_JOIN_AT_ONCE]]
