"""One box-constrained problem for a whole path of boxes 0 <= a <= c s, warm-started box by box.

    min  1/2 a'ZZ'a - e'a    s.t.  0 <= a <= c s,      c = c_1 < c_2 < ...      (docs/maths.md, eq. 9)

Every box is solved until its optimality conditions hold to rounding, so that the result does not
depend on the boxes below: a path gives the planes that separate fits give. Small problems go through
Q = ZZ' in one compiled call; for the others, where sweeps take longer than the calls around them, each
box is a `solve_box_qp` that starts where the last one ended.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frtsvm_core.solvers._path_steps import solve_path
from frtsvm_core.solvers.box_qp import SolverOptions, solve_box_qp

FloatArray = NDArray[np.float64]

# Up to this many rows, or this many times the columns, Q pays for itself over a few boxes.
_GRAM_ROWS = 600
_GRAM_RATIO = 2
_MOST_GRAM_ROWS = 4000


@dataclass(frozen=True)
class PathSolution:
    alpha: FloatArray  # boxes x rows
    v: FloatArray  # boxes x columns: Z'a
    converged: NDArray[np.bool_]  # per box


class BoxPath:
    """The rows Z of one problem, for any number of ladders over them."""

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
        """Solutions for the boxes cost * weight; `costs` ascending. `options` and `seed` are for
        `solve_box_qp`, where the compiled steps do not end at rounding."""
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
        below = 0.0
        for box, cost in enumerate(costs):
            bound = cost * weight
            if alpha is not None:
                # What was at its bound goes with it.
                alpha = np.where(alpha == below * weight, bound, alpha)
            solution = solve_box_qp(
                self._rows,
                bound,
                tol=options.tol,
                max_sweeps=options.max_sweeps,
                shrinking=options.shrinking,
                rng=rng,
                start=alpha,
            )
            alpha, below = solution.alpha, float(cost)
            alphas[box], v[box] = solution.alpha, solution.v
            converged[box] = solution.converged
        return PathSolution(alphas, v, converged)
