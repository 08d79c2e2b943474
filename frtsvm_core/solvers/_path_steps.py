"""Compiled solver for a path of boxes: one small problem for many slack costs, in one call.

    min  1/2 a'Qa - e'a    s.t.  0 <= a <= c s,      c = c_1 < c_2 < ...      (docs/maths.md, eq. 9)

s is the membership of each row times its weight. From one box to the next, coordinates at their
upper bound move with the bound, and all others keep their value. From this start, a few sweeps and
active-set steps (the Newton steps of active_set.py) reach the solution. A step costs
O(|F|^2) for the free set F, because the Cholesky factor of Q_FF is updated when a coordinate joins
or leaves instead of being recomputed. A parameter search solves thousands of such problems with a
few hundred rows, where one Python call per sweep would take most of the time. Therefore, unlike the
other compiled functions, these decide when to stop.
"""

from typing import Any

import numpy as np
from numba import njit

from frtsvm_core.solvers._dual_cd_sweep import sweep_gram

_VECTORIZED = {"reassoc", "contract", "nsz"}

# Number of sweeps before the first active-set steps of a box; doubled before each further attempt.
_FIRST_SWEEPS = 6
_ATTEMPTS = 5
# Sweeps end when the spread of the projected gradient is at most this.
_SWEEP_TOL = 1e-11
# The gradient is recomputed after this many boxes, so that rounding errors of updates do not add
# up.
_FRESH_EVERY = 8
# Number of coordinates whose gradient has the wrong sign that join the free set in one step.
_JOIN_AT_ONCE = 3
# A gradient of the wrong sign below this is a rounding error, compared with the margin of 1.
_GRADIENT_ROUNDING = 1e-12
# Largest gradient on the free set that is accepted after the Newton steps.
_FREE_ROUNDING = 1e-9
# Added to the diagonal of Q_FF, relative to the largest diagonal entry of Q, so that the step along
# a direction in which the objective is linear is long instead of infinite.
_RIDGE = 1e-13

_AT_BOUND = 0
_FREE = 1
_STOPPED = (
    2  # reached a bound since the last full step; cannot join the free set before the next one
)


@njit(nogil=True, cache=True, fastmath=_VECTORIZED)
def _append(gram: Any, lower: Any, free: Any, n_free: int, i: int, ridge: float) -> int:
    """Add coordinate i to the free set by appending a row to the Cholesky factor."""
    squared = 0.0
    for a in range(n_free):
        total = gram[i, free[a]]
        for b in range(a):
            total -= lower[a, b] * lower[n_free, b]
        value = total / lower[a, a]
        lower[n_free, a] = value
        squared += value * value
    lower[n_free, n_free] = np.sqrt(max(gram[i, i] + ridge - squared, ridge))
    free[n_free] = i
    return n_free + 1


@njit(nogil=True, cache=True, fastmath=_VECTORIZED)
def _remove(lower: Any, free: Any, n_free: int, position: int) -> int:
    """Remove the coordinate at `position`: delete its row and restore the triangle."""
    for a in range(position, n_free - 1):
        free[a] = free[a + 1]
        for b in range(a + 2):
            lower[a, b] = lower[a + 1, b]
    n_free -= 1
    for a in range(position, n_free):
        radius = np.sqrt(lower[a, a] ** 2 + lower[a, a + 1] ** 2)
        cosine = lower[a, a] / radius
        sine = lower[a, a + 1] / radius
        lower[a, a] = radius
        lower[a, a + 1] = 0.0
        for b in range(a + 1, n_free):
            left = lower[b, a]
            right = lower[b, a + 1]
            lower[b, a] = cosine * left + sine * right
            lower[b, a + 1] = cosine * right - sine * left
    return n_free


@njit(nogil=True, cache=True, fastmath=_VECTORIZED)
def _solve(lower: Any, n_free: int, x: Any) -> None:
    """Compute x = (LL')^-1 x in place."""
    for a in range(n_free):
        total = x[a]
        for b in range(a):
            total -= lower[a, b] * x[b]
        x[a] = total / lower[a, a]
    for a in range(n_free - 1, -1, -1):
        x[a] /= lower[a, a]
        for b in range(a):
            x[b] -= lower[a, b] * x[a]


@njit(nogil=True, cache=True, fastmath=_VECTORIZED)
def _compute_gradient(gram: Any, alpha: Any, gradient: Any) -> None:
    """Compute the gradient Qa - e."""
    gradient[:] = -1.0
    for i in range(alpha.size):
        if alpha[i] != 0.0:
            for k in range(alpha.size):
                gradient[k] += alpha[i] * gram[i, k]


@njit(nogil=True, cache=True, fastmath=_VECTORIZED)
def _move_bounds(
    gram: Any, bound: Any, alpha: Any, gradient: Any, at_bound: Any, ratio: float
) -> None:
    """Move the coordinates at their bound to the bound of the next box, and update the gradient.

    With B these coordinates, F the rest and r the ratio of the costs, Qa = Q_B a_B + Q_F a_F
    becomes r Q_B a_B + Q_F a_F = r Qa + (1 - r) Q_F a_F. This is cheap because F is small.
    """
    for k in range(alpha.size):
        gradient[k] = ratio * (gradient[k] + 1.0) - 1.0
    for i in range(alpha.size):
        if at_bound[i]:
            alpha[i] = bound[i]
        elif alpha[i] != 0.0:
            for k in range(alpha.size):
                gradient[k] += (1.0 - ratio) * alpha[i] * gram[i, k]


@njit(nogil=True, cache=True, fastmath=_VECTORIZED)
def _steps_to_bound(value: float, bound: float, step: float) -> float:
    """Return the multiple of `step` that leads from `value` to the end of [0, bound]."""
    if step < 0.0:
        return -value / step
    if step > 0.0:
        return (bound - value) / step
    return np.inf


@njit(nogil=True, cache=True, fastmath=_VECTORIZED)
def _step(
    bound: Any, alpha: Any, moved: Any, state: Any, free: Any, rest: Any, step: Any, n_free: int
) -> bool:
    """Take the Newton step up to the first bound; return whether the whole step fits into the box.

    A step of length t leaves (1 - t) times the gradient on the free set, which `rest` stores.
    `moved` collects the changes of alpha that are not yet part of the gradient of all coordinates.
    """
    length = 1.0
    for a in range(n_free):
        i = free[a]
        length = min(length, _steps_to_bound(alpha[i], bound[i], step[a]))
    full = length >= 1.0
    for a in range(n_free):
        i = free[a]
        before = alpha[i]
        if not full and _steps_to_bound(before, bound[i], step[a]) <= length:
            alpha[i] = 0.0 if step[a] < 0.0 else bound[i]
            state[i] = _STOPPED
        else:
            alpha[i] = min(max(before + length * step[a], 0.0), bound[i])
        moved[i] += alpha[i] - before
        rest[a] *= 1.0 - length
    return full


@njit(nogil=True, cache=True, fastmath=_VECTORIZED)
def _remove_stopped(lower: Any, state: Any, free: Any, rest: Any, n_free: int) -> int:
    """Remove the coordinates that the last step has moved to a bound from the free set."""
    for position in range(n_free - 1, -1, -1):
        if state[free[position]] == _STOPPED:
            n_free = _remove(lower, free, n_free, position)
            for a in range(position, n_free):
                rest[a] = rest[a + 1]
    return n_free


@njit(nogil=True, cache=True, fastmath=_VECTORIZED)
def _update_gradient(gram: Any, gradient: Any, moved: Any) -> None:
    """Update the gradient for the coordinates that changed, and clear `moved`."""
    for i in range(gradient.size):
        if moved[i] != 0.0:
            for k in range(gradient.size):
                gradient[k] += moved[i] * gram[i, k]
            moved[i] = 0.0


@njit(nogil=True, cache=True, fastmath=_VECTORIZED)
def _worst_at_bound(bound: Any, alpha: Any, gradient: Any, state: Any) -> int:
    """Return the coordinate at a bound that violates optimality most, or -1."""
    worst = -1
    most = 0.0
    largest = 0.0
    for i in range(alpha.size):
        largest = max(largest, abs(gradient[i]))
        if state[i] == _AT_BOUND and bound[i] > 0.0:
            violation = -gradient[i] if alpha[i] == 0.0 else gradient[i]
            if violation > most:
                most = violation
                worst = i
    return worst if most > _GRADIENT_ROUNDING * (1.0 + largest) else -1


@njit(nogil=True, cache=True, fastmath=_VECTORIZED)
def _finish(
    gram: Any, bound: Any, alpha: Any, gradient: Any, lower: Any, free: Any, ridge: float
) -> bool:
    """Take active-set steps from `alpha`; return whether all optimality conditions are met."""
    size = alpha.size
    state = np.zeros(size, dtype=np.int8)
    moved = np.zeros(size)
    step = np.empty(size)
    rest = np.empty(size)
    n_free = 0
    for i in range(size):
        if 0.0 < alpha[i] < bound[i]:
            state[i] = _FREE
            n_free = _append(gram, lower, free, n_free, i, ridge)
    for a in range(n_free):
        rest[a] = gradient[free[a]]
    for _ in range(100 + 2 * size):
        if n_free > 0:
            for a in range(n_free):
                step[a] = -rest[a]
            _solve(lower, n_free, step)
            if not _step(bound, alpha, moved, state, free, rest, step, n_free):
                n_free = _remove_stopped(lower, state, free, rest, n_free)
                continue
        _update_gradient(gram, gradient, moved)
        joined = 0
        for i in range(size):
            if state[i] == _STOPPED:
                state[i] = _AT_BOUND
        while joined < _JOIN_AT_ONCE:
            i = _worst_at_bound(bound, alpha, gradient, state)
            if i < 0:
                break
            state[i] = _FREE
            n_free = _append(gram, lower, free, n_free, i, ridge)
            joined += 1
        largest = 0.0
        for a in range(n_free):
            rest[a] = gradient[free[a]]
            largest = max(largest, abs(rest[a]))
        if joined == 0 and largest <= _FREE_ROUNDING:
            return True
    _compute_gradient(gram, alpha, gradient)
    return False


@njit(nogil=True, cache=True, fastmath=_VECTORIZED)
def solve_path(
    gram: Any,  # in: Q, n x n, C-ordered
    weight: Any,  # in: s, n
    path: Any,  # in: c, ascending
    alphas: Any,  # out: boxes x n
    exact: Any,  # out: boxes, whether all optimality conditions are met
) -> None:
    """Solve every box, starting from the solution of the previous one."""
    size = weight.size
    alpha = np.zeros(size)
    gradient = np.empty(size)
    at_bound = np.ones(size, dtype=np.bool_)
    lower = np.empty((size + 1, size + 1))
    free = np.empty(size + 1, dtype=np.int64)
    order = np.arange(size)
    ridge = 0.0
    for i in range(size):
        ridge = max(ridge, _RIDGE * gram[i, i])
    for box in range(path.size):
        bound = path[box] * weight
        unchanged = box > 0 and exact[box - 1]
        for i in range(size):
            if at_bound[i] and alpha[i] != bound[i]:
                unchanged = False
        if not unchanged:
            exact[box] = False
            sweeps = _FIRST_SWEEPS
            if box % _FRESH_EVERY == 0:
                for i in range(size):
                    if at_bound[i]:
                        alpha[i] = bound[i]
                _compute_gradient(gram, alpha, gradient)
            else:
                _move_bounds(gram, bound, alpha, gradient, at_bound, path[box] / path[box - 1])
            for _ in range(_ATTEMPTS):
                for _ in range(sweeps):
                    largest, smallest, _n = sweep_gram(
                        gram, bound, alpha, gradient, order, size, np.inf, -np.inf
                    )
                    if largest - smallest <= _SWEEP_TOL:
                        break
                if _finish(gram, bound, alpha, gradient, lower, free, ridge):
                    exact[box] = True
                    break
                sweeps *= 2
        else:
            exact[box] = True
        for i in range(size):
            at_bound[i] = alpha[i] == bound[i]
            alphas[box, i] = alpha[i]
