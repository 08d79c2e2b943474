"""Solve one plane: close to its own class, away from the opposing rows (docs/maths.md, eq. 4)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frtsvm_core.solvers.box_qp import SolverOptions, solve_box_qp
from frtsvm_core.solvers.dual_cd import Sweep
from frtsvm_core.twin.certificate import Certificate, certify
from frtsvm_core.twin.whitening import Whitening

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

# A sum of vectors shorter than this share of the sum of their lengths consists of rounding errors.
_CANCELLED = 1e-12


@dataclass(frozen=True)
class Plane:
    """The plane F.g + b = 0 in the coordinates of the feature map."""

    g: FloatArray
    b: float
    alpha: FloatArray  # dual variables, one per opposing row
    certificate: Certificate
    n_visits: int  # coordinates visited, over all sweeps


def zero_cancelled_directions(
    v: FloatArray, z: FloatArray, alpha: FloatArray, rounding: float
) -> FloatArray:
    """Set the direction of v = Z'a to 0 where it consists of rounding errors; one v per row.

    This is the case if the terms of the sum cancel, or if the rows they come from are equal up to
    `rounding`. Such a plane is constant.
    """
    length = np.linalg.norm(v[:, :-1], axis=1)
    coarseness = rounding * alpha.sum(axis=1)
    # The Cauchy-Schwarz bound on the sum of the lengths is cheap and excludes all but degenerate
    # planes.
    at_most = np.linalg.norm(alpha, axis=1) * np.linalg.norm(z)
    if (length > np.maximum(_CANCELLED * at_most, coarseness)).all():
        return v
    terms = alpha @ np.linalg.norm(z[:, :-1], axis=1)
    constant = length <= np.maximum(_CANCELLED * terms, coarseness)
    v = v.copy()
    v[constant, :-1] = 0.0
    return v


def solve_plane(
    rows: FloatArray,
    whitening: Whitening,
    opposing: IntArray,
    bound: FloatArray,
    *,
    sign: float,
    options: SolverOptions,
    rng: np.random.Generator,
    callback: Callable[[Sweep], None] | None = None,
) -> Plane:
    """Solve eq. 4 for the class of `whitening` against the rows `opposing`.

    The constraint is sign (F.g + b) >= 1 - slack, with the cost `bound` per unit of slack. `sign`
    is -1 for the paper's plane + and +1 for its plane -.
    """
    z = whitening.apply(rows, opposing)
    solution = solve_box_qp(
        z,
        bound,
        tol=options.tol,
        max_sweeps=options.max_sweeps,
        shrinking=options.shrinking,
        rng=rng,
        callback=callback,
    )
    certificate = certify(
        z,
        bound,
        solution.alpha,
        solution.v,
        n_sweeps=solution.n_sweeps,
        converged=solution.converged,
    )
    v = zero_cancelled_directions(solution.v[None], z, solution.alpha[None], whitening.rounding())[
        0
    ]
    g, b = whitening.plane(v, sign)
    return Plane(g, b, solution.alpha, certificate, solution.n_visits)
