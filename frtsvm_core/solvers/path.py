"""Regularization path: one box-constrained problem for increasing slack costs, with warm starts.

    min  1/2 a'ZZ'a - e'a    s.t.  0 <= a <= c s,    c = c_1 < c_2 < ...    (docs/maths.md, eq. 9)

s is the membership of each row times its weight, and c is the slack cost of one box. Every box is
solved until its optimality conditions are met up to rounding errors, so the result does not depend
on the smaller boxes and equals that of separate fits. Small problems are solved with Q = ZZ' in one
compiled call. For larger problems, where the overhead of Python calls is negligible, each box is
solved by `solve_box_qp`, starting from the solution of the previous box.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frtsvm_core.solvers._path_steps import solve_path
from frtsvm_core.solvers.box_qp import SolverOptions, solve_box_qp

FloatArray = NDArray[np.float64]

# Q is computed for up to this many rows, or this many times the number of columns: its cost is
# recovered over a few boxes.
_GRAM_ROWS = 600
_GRAM_RATIO = 2
_MOST_GRAM_ROWS = 4000


@dataclass(frozen=True)
class PathSolution:
    """Solutions of all boxes of a path."""

    alpha: FloatArray  # boxes x rows
    v: FloatArray  # boxes x columns: Z'a
    converged: NDArray[np.bool_]  # per box


class BoxPath:
    """Solver for regularization paths over the rows Z of one problem."""

    def __init__(self, rows: FloatArray) -> None:
        self._rows = rows
        n_rows, width = rows.shape
        small = n_rows <= min(max(_GRAM_ROWS, _GRAM_RATIO * width), _MOST_GRAM_ROWS)
        self._gram = rows @ rows.T if small else None

    def solve(
        self,
        weight: FloatArray,
        costs: FloatArray,
        options: SolverOptions,
        seed: int,
    ) -> PathSolution:
        """Solve the boxes 0 <= a <= cost * weight (c s above) for ascending `costs`.

        `options` and `seed` are passed to `solve_box_qp`, which solves larger problems and the
        boxes in which the compiled steps do not meet all optimality conditions.
        """
        if self._gram is None:
            return self._box_by_box(weight, costs, options, np.random.default_rng(seed))
        alphas = np.empty((costs.size, weight.size))
        exact = np.zeros(costs.size, dtype=np.bool_)
        solve_path(self._gram, weight, costs, alphas, exact)
        v = alphas @ self._rows
        for box in np.flatnonzero(~exact):
            solution = solve_box_qp(
                self._rows,
                costs[box] * weight,
                tol=options.tol,
                max_sweeps=options.max_sweeps,
                shrinking=options.shrinking,
                rng=np.random.default_rng(seed),
                start=alphas[box],
            )
            alphas[box], v[box] = solution.alpha, solution.v
            exact[box] = solution.converged
        return PathSolution(alphas, v, exact)

    def _box_by_box(
        self,
        weight: FloatArray,
        costs: FloatArray,
        options: SolverOptions,
        rng: np.random.Generator,
    ) -> PathSolution:
        alphas = np.empty((costs.size, weight.size))
        v = np.empty((costs.size, self._rows.shape[1]))
        converged = np.zeros(costs.size, dtype=np.bool_)
        alpha: FloatArray | None = None
        previous_cost = 0.0
        for box, cost in enumerate(costs):
            bound = cost * weight
            if alpha is not None:
                # Coordinates at their upper bound move with the bound.
                alpha = np.where(alpha == previous_cost * weight, bound, alpha)
            solution = solve_box_qp(
                self._rows,
                bound,
                tol=options.tol,
                max_sweeps=options.max_sweeps,
                shrinking=options.shrinking,
                rng=rng,
                start=alpha,
            )
            alpha, previous_cost = solution.alpha, float(cost)
            alphas[box], v[box] = solution.alpha, solution.v
            converged[box] = solution.converged
        return PathSolution(alphas, v, converged)
