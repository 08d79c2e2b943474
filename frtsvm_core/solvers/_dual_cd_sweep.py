"""Compiled coordinate descent sweeps: one pass over the active set, without stopping tests.

Both sweeps work on the box-constrained dual of one plane (docs/maths.md, eq. 9),

    min  1/2 a'Qa - e'a    s.t.  0 <= a <= C,      Q = ZZ',

and differ only in how they obtain the gradient g = Qa - e: `sweep_rows` updates v = Z'a and
computes g_i = z_i.v - 1, `sweep_gram` updates g itself and reads Q. Both take the step of a
coordinate (eq. 12) from the same function.
"""

from typing import Any

from numba import njit

# Allow sums to be reordered, so that they are vectorized; NaN and infinity are still handled.
_VECTORIZED = {"reassoc", "contract", "nsz"}

# A projected gradient below this is a rounding error, compared with the margin of 1.
MIN_PROJECTED_GRADIENT = 1e-14

_DROP = 0
_KEEP = 1
_MOVE = 2


@njit(nogil=True, cache=True, inline="always")
def _coordinate_step(
    gradient: float, value: float, bound: float, curvature: float, upper: float, lower: float
) -> tuple[int, float, float]:
    """Decide whether to drop one coordinate, to keep it, or to move it to `target`.

    Returns (action, projected gradient, target). `upper` and `lower` are the shrinking thresholds
    (Mbar and mbar); with +inf and -inf no coordinate is dropped. Targets are clipped, so that
    `value == 0` and `value == bound` are exact tests.
    """
    projected = gradient
    if value == 0.0:
        if gradient > upper:
            return _DROP, 0.0, value
        projected = min(gradient, 0.0)
    elif value == bound:
        if gradient < lower:
            return _DROP, 0.0, value
        projected = max(gradient, 0.0)
    if abs(projected) <= MIN_PROJECTED_GRADIENT:
        return _KEEP, projected, value
    return _MOVE, projected, min(max(value - gradient / curvature, 0.0), bound)


@njit(nogil=True, cache=True, fastmath=_VECTORIZED)
def sweep_rows(
    rows: Any,  # in: Z, n x p, C-ordered
    curvature: Any,  # in: Q_ii = |z_i|^2
    bound: Any,  # in: C
    alpha: Any,  # in-out: a
    v: Any,  # in-out: Z'a, matches alpha on entry and on return
    active: Any,  # in-out: indices; the first n_active are visited in this order
    n_active: int,
    upper: float,
    lower: float,
) -> tuple[float, float, int]:
    """Run one sweep with gradients computed from v.

    Returns (M, m, n_active) with m <= 0 <= M, the extremes of the projected gradient over the
    sweep. Dropped indices are moved behind the first n_active.
    """
    largest = 0.0
    smallest = 0.0
    width = rows.shape[1]
    position = 0
    while position < n_active:
        i = active[position]
        gradient = -1.0
        for k in range(width):
            gradient += rows[i, k] * v[k]
        action, projected, target = _coordinate_step(
            gradient, alpha[i], bound[i], curvature[i], upper, lower
        )
        if action == _DROP:
            n_active -= 1
            active[position] = active[n_active]
            active[n_active] = i
            continue
        largest = max(largest, projected)
        smallest = min(smallest, projected)
        if action == _MOVE:
            step = target - alpha[i]
            alpha[i] = target
            for k in range(width):
                v[k] += step * rows[i, k]
        position += 1
    return largest, smallest, n_active


@njit(nogil=True, cache=True, fastmath=_VECTORIZED)
def sweep_gram(
    gram: Any,  # in: Q, n x n, C-ordered
    bound: Any,  # in: C
    alpha: Any,  # in-out: a
    gradient: Any,  # in-out: Qa - e, matches alpha on entry and on return
    active: Any,  # in-out
    n_active: int,
    upper: float,
    lower: float,
) -> tuple[float, float, int]:
    """Run one sweep with gradients updated from Q: O(1) to test a coordinate, O(n) to move it.

    Returns the same values as `sweep_rows`.
    """
    largest = 0.0
    smallest = 0.0
    size = gram.shape[0]
    position = 0
    while position < n_active:
        i = active[position]
        action, projected, target = _coordinate_step(
            gradient[i], alpha[i], bound[i], gram[i, i], upper, lower
        )
        if action == _DROP:
            n_active -= 1
            active[position] = active[n_active]
            active[n_active] = i
            continue
        largest = max(largest, projected)
        smallest = min(smallest, projected)
        if action == _MOVE:
            step = target - alpha[i]
            alpha[i] = target
            for k in range(size):
                gradient[k] += step * gram[i, k]
        position += 1
    return largest, smallest, n_active
