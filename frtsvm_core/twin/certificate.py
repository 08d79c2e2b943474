"""Optimality certificate of a fitted plane."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frtsvm_core.solvers.duality import objectives, relative

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Certificate:
    """Bound on the distance of a plane's objective from the optimum.

    `primal` is the objective of the plane. `dual` is a lower bound on the objective of every plane
    (weak duality), so no plane has an objective smaller by more than `gap`. Equation numbers refer
    to docs/maths.md; see eq. 13.

    Attributes
    ----------
    primal : float
        Objective of the plane (eq. 10).
    dual : float
        Dual objective (eq. 11).
    gap : float
        primal - dual, at least 0.
    relative_gap : float
        gap / primal, or 0 if primal is 0.
    kkt_violation : float
        Largest projected gradient in absolute value. Judge it relative to the margin, which is 1.
    n_sweeps : int
        Number of coordinate descent sweeps.
    converged : bool
        Whether the solver met its tolerance.
    """

    primal: float
    dual: float
    gap: float
    relative_gap: float
    kkt_violation: float
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
    """Compute objectives and largest projected gradient with one product with Z (eq. 10 to 13)."""
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
