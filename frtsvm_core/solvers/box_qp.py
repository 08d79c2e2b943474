"""Solver for one plane: coordinate descent to find the active set, then active-set steps.

Ill-conditioned problems (large boxes, little regularization) can need thousands of sweeps, even
though a few dozen sweeps find the correct active set. The sweeps therefore run in rounds of growing
length, and the Newton steps of active_set.py are tried after each round. If they meet all
optimality conditions, the problem is solved; otherwise the next round starts from their result.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from frtsvm_core.solvers.active_set import refine
from frtsvm_core.solvers.dual_cd import Sweep, SweepCallback, solve_dual

FloatArray = NDArray[np.float64]

_FIRST_ROUND = 50


@dataclass(frozen=True)
class SolverOptions:
    """Stopping and shrinking options of `solve_box_qp`."""

    tol: float
    max_sweeps: int
    shrinking: bool


@dataclass(frozen=True)
class BoxQPSolution:
    """Result of `solve_box_qp`."""

    alpha: FloatArray
    v: FloatArray  # Z'alpha
    n_sweeps: int
    n_visits: int  # coordinates visited, over all sweeps
    n_newton_steps: int
    converged: bool


def solve_box_qp(
    rows: FloatArray,
    bound: FloatArray,
    *,
    tol: float,
    max_sweeps: int,
    shrinking: bool,
    rng: np.random.Generator,
    start: FloatArray | None = None,
    callback: SweepCallback | None = None,
) -> BoxQPSolution:
    """Minimize 1/2 a'ZZ'a - e'a over 0 <= a <= C, with Z = `rows` and C = `bound` (eq. 9).

    The solver starts from `start`, or from 0.
    """
    alpha = start
    n_sweeps = n_visits = n_steps = 0
    round_length = _FIRST_ROUND
    while True:
        solution = solve_dual(
            rows,
            bound,
            tol=tol,
            max_sweeps=min(round_length, max_sweeps - n_sweeps),
            shrinking=shrinking,
            rng=rng,
            start=alpha,
            callback=_counting_from(n_sweeps, callback),
        )
        n_sweeps += solution.n_sweeps
        n_visits += solution.n_visits
        alpha, v, converged = solution.alpha, solution.v, solution.converged
        if converged or solution.n_sweeps == round_length:
            refined = refine(rows, bound, alpha)
            n_steps += refined.n_steps
            # Steps that ended early decrease the objective, but may increase the largest gradient.
            if refined.exact or not converged:
                alpha, v = refined.alpha, rows.T @ refined.alpha
            converged = converged or refined.exact
        if converged or n_sweeps >= max_sweeps:
            return BoxQPSolution(alpha, v, n_sweeps, n_visits, n_steps, converged)
        round_length *= 2


def _counting_from(done: int, callback: SweepCallback | None) -> SweepCallback | None:
    """Return a callback that numbers the sweeps consecutively through all rounds."""
    if callback is None or done == 0:
        return callback

    def renumbered(sweep: Sweep) -> None:
        callback(replace(sweep, number=done + sweep.number))

    return renumbered
