"""One plane: close to its own class, kept away from the other rows (docs/maths.md, eq. 4)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frtsvm_core.solvers.box_qp import solve_box_qp
from frtsvm_core.solvers.dual_cd import Sweep
from frtsvm_core.twin.certificate import Certificate, certify
from frtsvm_core.twin.whitening import Whitening

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

# A sum of vectors shorter than this share of the sum of their lengths has cancelled out.
_CANCELLED = 1e-12


@dataclass(frozen=True)
class SolverOptions:
    tol: float
    max_sweeps: int
    shrinking: bool


@dataclass(frozen=True)
class Plane:
    """F.g + b = 0 in the coordinates of the feature map."""

    g: FloatArray
    b: float
    alpha: FloatArray  # dual variables, one per opposing row
    certificate: Certificate
    n_visits: int


def _without_rounding(
    v: FloatArray, z: FloatArray, alpha: FloatArray, whitening: Whitening
) -> FloatArray:
    """v = Z'a with its direction set to 0 where that is rounding: where the terms of the sum cancel, or
    the rows they come from are equal up to rounding. Such a plane is constant."""
    length = float(np.linalg.norm(v[:-1]))
    coarseness = whitening.rounding() * float(alpha.sum())
    # Cauchy-Schwarz bounds the sum of the lengths, and settles all but degenerate planes at once.
    if length > max(_CANCELLED * float(np.linalg.norm(alpha) * np.linalg.norm(z)), coarseness):
        return v
    terms = float(alpha @ np.linalg.norm(z[:, :-1], axis=1))
    if length <= max(_CANCELLED * terms, coarseness):
        v = v.copy()
        v[:-1] = 0.0
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
    """The plane close to the class of `whitening` with sign (F.g + b) >= 1 - slack on the opposing
    rows, slack costing `bound`; `sign` is -1 for the paper's plane +, +1 for its plane -."""
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
    v = _without_rounding(solution.v, z, solution.alpha, whitening)
    g, b = whitening.plane(v, sign)
    return Plane(g, b, solution.alpha, certificate, solution.n_visits)
