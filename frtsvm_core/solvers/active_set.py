"""Finish a dual solution to rounding by Newton steps on the free coordinates.

Coordinate descent finds quickly *which* coordinates are at 0, at the bound and between, and then
closes in on their values only linearly. From there the solution is one small linear system away:
with F the free set, Q_FF d = -(Qa - e)_F is the step to the minimum over F (docs/maths.md, eq. 14).
A step that would leave the box stops at the first bound it meets, which frees F of that coordinate;
a full step is followed by a look at all other coordinates, and those with the wrong sign join F.
Every step lowers the dual objective, so the result is never worse than the start.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

FloatArray = NDArray[np.float64]

# Larger free sets are left alone: the system would cost more than the sweeps before it.
MAX_FREE = 1200
# Free sets up to this size are worth the step even when rows repeat and the system is singular.
SMALL = 64
# A gradient of the wrong sign below this is rounding.
_GRADIENT_ROUNDING = 1e-12
# Added to the diagonal of Q_FF, relative to its largest entry.
_RIDGE = 1e-13


@dataclass(frozen=True)
class Refinement:
    alpha: FloatArray
    n_steps: int
    exact: bool  # every optimality condition holds up to rounding


def refine(
    rows: FloatArray, bound: FloatArray, alpha: FloatArray, *, max_steps: int = 30
) -> Refinement:
    """Newton steps from `alpha` until the optimality conditions hold to rounding, or `max_steps`."""
    alpha = alpha.copy()
    v = rows.T @ alpha
    free = (alpha > 0.0) & (alpha < bound)
    # With more free rows than columns the active set is not found yet.
    limit = min(MAX_FREE, max(rows.shape[1], SMALL))
    for step in range(max_steps):
        index = np.flatnonzero(free)
        if index.size > limit:
            return Refinement(alpha, step, exact=False)
        if index.size:
            block, value, room = rows[index], alpha[index], bound[index]
            moved = _step_in_box(block, v, value, room)
            v += block.T @ (moved - value)
            alpha[index] = moved
            stopped = (moved == 0.0) | (moved == room)
            free[index[stopped]] = False
            if stopped.any():
                continue
        gradient = rows @ v - 1.0
        rounding = _GRADIENT_ROUNDING * (1.0 + np.abs(gradient).max(initial=0.0))
        wrong = ((alpha == 0.0) & (gradient < -rounding) & (bound > 0.0)) | (
            (alpha == bound) & (gradient > rounding)
        )
        if not wrong.any():
            return Refinement(alpha, step + 1, exact=True)
        free |= wrong
    return Refinement(alpha, max_steps, exact=False)


def _step_in_box(
    block: FloatArray, v: FloatArray, value: FloatArray, bound: FloatArray
) -> FloatArray:
    """New values of the free coordinates: the Newton step cut to the box coordinate by coordinate
    where that lowers the objective (it ends many at once), else followed to the first bound."""
    gradient = block @ v - 1.0
    direction = _newton_direction(block, gradient)
    cut = np.clip(value + direction, 0.0, bound)
    change = cut - value
    image = block.T @ change
    if gradient @ change + 0.5 * (image @ image) < 0.0:
        return cut
    length, blocked = _ratio_test(value, bound, direction)
    moved = np.clip(value + length * direction, 0.0, bound)
    moved[blocked & (direction < 0.0)] = 0.0
    at_bound = blocked & (direction > 0.0)
    moved[at_bound] = bound[at_bound]
    return moved


def _newton_direction(block: FloatArray, gradient: FloatArray) -> FloatArray:
    """The step to the minimum over the free set.

    Q_FF is singular where rows repeat, or where more rows are free than the space has directions. A
    ridge at the level of rounding makes the step finite there: along such directions it is long, and
    the box ends it.
    """
    gram = block @ block.T
    gram.flat[:: gram.shape[0] + 1] += _RIDGE * np.diagonal(gram).max()
    return -cho_solve(cho_factor(gram, lower=True, overwrite_a=True), gradient)


def _ratio_test(
    value: FloatArray, bound: FloatArray, direction: FloatArray
) -> tuple[float, NDArray[np.bool_]]:
    """How much of the step fits into the box, and which coordinates it takes to a bound."""
    room = np.full(value.shape, np.inf)
    falling, rising = direction < 0.0, direction > 0.0
    room[falling] = value[falling] / -direction[falling]
    room[rising] = (bound[rising] - value[rising]) / direction[rising]
    nearest = float(room.min(initial=np.inf))
    if nearest >= 1.0:
        return 1.0, np.zeros(value.shape, dtype=bool)
    return nearest, room <= nearest
