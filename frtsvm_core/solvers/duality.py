"""Primal and dual objective of a plane (docs/maths.md, eq. 10 to 13)."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def objectives(
    gradient: FloatArray, bound: FloatArray, alpha: FloatArray, half_square: float
) -> tuple[float, float]:
    """Return (P, D), where gradient = Zv - e and half_square = 1/2 v'v; D <= P for every v."""
    primal = half_square + float(bound @ np.maximum(-gradient, 0.0))
    return primal, float(alpha.sum()) - half_square


def relative(primal: float, dual: float) -> float:
    """Return the duality gap relative to the primal objective; 0 if the objective is 0."""
    return max(primal - dual, 0.0) / primal if primal > 0.0 else 0.0
