"""Compiled steps up a path of boxes: the same small problem for every slack cost, in one call.

    min  1/2 a'Qa - e'a    s.t.  0 <= a <= c s,      c = c_1 < c_2 < ...      (docs/maths.md, eq. 9)

Between two boxes the coordinates at their bound move with it, the others stay: a start from which a
few sweeps and a few active-set steps lead to the solution. A step costs O(|F|^2) for the free set F,
because the Cholesky factor of Q_FF is updated when a coordinate joins or leaves, and not computed
anew. Searches solve thousands of such problems of some hundred rows, where one Python call per sweep
would take most of the time; hence, unlike elsewhere, these compiled functions decide when to stop.
"""

from typing import Any

import numpy as np
from numba import njit

from frtsvm_core.solvers._dual_cd_sweep import sweep_gram

_VECTORIZED = {"reassoc", "contract", "nsz"}

# Sweeps before the first active-set steps of a box; twice as many before each further attempt.
_FIRST_SWEEPS = 6
_ATTEMPTS = 5
# A sweep that met no larger violation has nothing left to do.
_SETTLED = 1e-11
# After so many boxes the gradient is formed anew, so that the rounding of updates cannot add up.
_FRESH_EVERY = 8
# How many coordinates with the wrong sign join the free set at once.
_JOIN_AT_ONCE = 3
# A gradient of the wrong sign below this, next to the 1 of the margin, is rounding.
_GRADIENT_ROUNDING = 1e-12
# The gradient that Newton steps may leave on the free set.
_FREE_ROUNDING = 1e-9
# Added to the diagonal of Q_FF, relative to the largest of Q: makes the step along a direction in
# which the objective is linear long instead of infinite.
_RIDGE = 1e-13

_AT_BOUND = 0
_FREE = 1
_STOPPED = 2  # met a bound since the last full step; may not join before the next


@njit(nogil=True, cache=True, fastmath=_VECTORIZED)
def _append(gram: Any, lower: Any, free: Any, n_free: int, i: int, ridge: float) -> int:
    """Let coordinate i join: one more row of the Cholesky factor."""
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
    """Let the coordinate at `position` leave: its row goes, rotations restore the triangle."""
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
    """x = (LL')^-1 x in place."""
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
def _form_gradient(gram: Any, alpha: Any, gradient: Any) -> None:
    gradient[:] = -1.0
    for i in range(alpha.size):
        if alpha[i] != 0.0:
            for k in range(alpha.size):
                gradient[k] += alpha[i] * gram[i, k]


@njit(nogil=True, cache=True, fastmath=_VECTORIZED)
def _move_bounds(
    gram: Any, bound: Any, alpha: Any, gradient: Any, at_bound: Any, ratio: float
) -> None:
    """Take what is at its bound along to the next box. With B those coordinates and F the rest,
    Qa = Q_B a_B + Q_F a_F becomes r Q_B a_B + Q_F a_F = r Qa + (1 - r) Q_F a_F, and F is small."""
    for k in range(alpha.size):
        gradient[k] = ratio * (gradient[k] + 1.0) - 1.0
    for i in range(alpha.size):
        if at_bound[i]:
            alpha[i] = bound[i]
        elif alpha[i] != 0.0:
            for k in range(alpha.size):
                gradient[k] += (1.0 - ratio) * alpha[i] * gram[i, k]


@njit(nogil=True, cache=True, fastmath=_VECTORIZED)
def _reach(value: float, bound: float, step: float) -> float:
    """The multiple of `step` that leads from `value` to the end of [0, bound]."""
    if step < 0.0:
        return -value / step
    if step > 0.0:
        return (bound - value) / step
    return np.inf


@njit(nogil=True, cache=True, fastmath=_VECTORIZED)
def _step(
    bound: Any, alpha: Any, moved: Any, state: Any, free: Any, rest: Any, step: Any, n_free: int
) -> bool:
    """Take as much of the Newton step as fits into the box; True if that is all of it.

    A step of length t leaves (1 - t) times the gradient on the free set: `rest` is kept up with
    that, and `moved` collects what the gradient of all coordinates has yet to learn.
    """
    length = 1.0
    for a in range(n_free):
        i = free[a]
        length = min(length, _reach(alpha[i], bound[i], step[a]))
    full = length >= 1.0
    for a in range(n_free):
        i = free[a]
        before = alpha[i]
        if not full and _reach(before, bound[i], step[a]) <= length:
            alpha[i] = 0.0 if step[a] < 0.0 else bound[i]
            state[i] = _STOPPED
        else:
            alpha[i] = min(max(before + length * step[a], 0.0), bound[i])
        moved[i] += alpha[i] - before
        rest[a] *= 1.0 - length
    return full


@njit(nogil=True, cache=True, fastmath=_VECTORIZED)
def _release(lower: Any, state: Any, free: Any, rest: Any, n_free: int) -> int:
    """Remove the coordinates that the last step has taken to a bound."""
    for position in range(n_free - 1, -1, -1):
        if state[free[position]] == _STOPPED:
            n_free = _remove(lower, free, n_free, position)
            for a in range(position, n_free):
                rest[a] = rest[a + 1]
    return n_free


@njit(nogil=True, cache=True, fastmath=_VECTORIZED)
def _spread(gram: Any, gradient: Any, moved: Any) -> None:
    """Let the gradient learn what has moved."""
    for i in range(gradient.size):
        if moved[i] != 0.0:
            for k in range(gradient.size):
                gradient[k] += moved[i] * gram[i, k]
            moved[i] = 0.0


@njit(nogil=True, cache=True, fastmath=_VECTORIZED)
def _worst_at_bound(bound: Any, alpha: Any, gradient: Any, state: Any) -> int:
    """The coordinate that most wants to leave its bound, or -1."""
    worst = -1
    most = 0.0
    largest = 0.0
    for i in range(alpha.size):
        largest = max(largest, abs(gradient[i]))
        if state[i] == _AT_BOUND and bound[i] > 0.0:
            wish = -gradient[i] if alpha[i] == 0.0 else gradient[i]
            if wish > most:
                most = wish
                worst = i
    return worst if most > _GRADIENT_ROUNDING * (1.0 + largest) else -1


@njit(nogil=True, cache=True, fastmath=_VECTORIZED)
def _finish(
    gram: Any, bound: Any, alpha: Any, gradient: Any, lower: Any, free: Any, ridge: float
) -> bool:
    """Active-set steps from `alpha`; True if every optimality condition holds up to rounding."""
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
                n_free = _release(lower, state, free, rest, n_free)
                continue
        _spread(gram, gradient, moved)
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
    _form_gradient(gram, alpha, gradient)
    return False


@njit(nogil=True, cache=True, fastmath=_VECTORIZED)
def solve_path(
    gram: Any,  # in: Q, n x n, C-ordered
    weight: Any,  # in: s, n
    path: Any,  # in: c, ascending
    alphas: Any,  # out: boxes x n
    exact: Any,  # out: boxes, whether the conditions hold up to rounding
) -> None:
    """Solve every box from the solution of the one below it."""
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
        same = box > 0 and exact[box - 1]
        for i in range(size):
            if at_bound[i] and alpha[i] != bound[i]:
                same = False
        if not same:
            exact[box] = False
            sweeps = _FIRST_SWEEPS
            if box % _FRESH_EVERY == 0:
                for i in range(size):
                    if at_bound[i]:
                        alpha[i] = bound[i]
                _form_gradient(gram, alpha, gradient)
            else:
                _move_bounds(gram, bound, alpha, gradient, at_bound, path[box] / path[box - 1])
            for _ in range(_ATTEMPTS):
                for _ in range(sweeps):
                    largest, smallest, _n = sweep_gram(
                        gram, bound, alpha, gradient, order, size, np.inf, -np.inf
                    )
                    if largest - smallest <= _SETTLED:
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
