"""The proof that comes with every plane."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frtsvm_core.solvers.duality import objectives, relative

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Certificate:
    """How far a plane can be from the optimum, at most.

    `primal` is the objective of the plane, `dual` a lower bound on the objective of *every* plane
    (weak duality, docs/maths.md, eq. 13): no plane is better by more than `gap`.
    """

    primal: float
    dual: float
    gap: float  # primal - dual, at least 0
    relative_gap: float  # gap / primal
    kkt_violation: float  # largest projected gradient; the margin it is measured against is 1
    n_sweeps: int
    converged: bool


def certify(
    rows: FloatArray,
    bound: FloatArray,
    alpha: FloatArray,
    v: FloatArray,
    *,
    n_sweeps: int,
    converged: bool,
) -> Certificate:
    """Primal, dual and optimality conditions from one product with Z (eq. 10-13)."""
    gradient = rows @ v - 1.0
    primal, dual = objectives(gradient, bound, alpha, 0.5 * float(v @ v))
    free_to_fall, free_to_rise = alpha > 0.0, alpha < bound
    violation = max(
        float(gradient[free_to_fall].max(initial=0.0)),
        float((-gradient[free_to_rise]).max(initial=0.0)),
    )
    return Certificate(
        primal=primal,
        dual=dual,
        gap=max(primal - dual, 0.0),
        relative_gap=relative(primal, dual),
        kkt_violation=violation,
        n_sweeps=n_sweeps,
        converged=converged,
    )
