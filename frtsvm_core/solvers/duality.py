"""The two objectives of a plane, from what a solver has at hand (docs/maths.md, eq. 11 to 13)."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def objectives(
    gradient: FloatArray, bound: FloatArray, alpha: FloatArray, half_square: float
) -> tuple[float, float]:
    """(P, D) with gradient = Zv - e and half_square = 1/2 v'v: D bounds P from below, whatever v."""
    primal = half_square + float(bound @ np.maximum(-gradient, 0.0))
    return primal, float(alpha.sum()) - half_square


def relative(primal: float, dual: float) -> float:
    """The gap as a share of the objective."""
    return max(primal - dual, 0.0) / primal if primal > 0.0 else 0.0
