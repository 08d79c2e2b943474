"""Weighted logistic regression with few columns, by Newton's method with step halving."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

FloatArray = NDArray[np.float64]

#: Distances and scores are clipped at this many times their median. Values beyond carry no further
#: information, and their squares could overflow: every row is almost infinitely far from a plane
#: whose normal vector is (nearly) zero.
CLIP_AT_MEDIANS = 50.0

_NEWTON_STEPS = 100
_HALVINGS = 30
_GRADIENT_TOLERANCE = 1e-10
_LEVENBERG = 1e-12


def smoothed_targets(positive: NDArray[np.bool_], weight: FloatArray) -> FloatArray:
    """Return Platt's targets (n+ + 1)/(n+ + 2) and 1/(n- + 2) instead of 1 and 0.

    They keep the coefficients finite when the classes are separable.
    """
    n_positive, n_negative = float(weight[positive].sum()), float(weight[~positive].sum())
    targets: FloatArray = np.where(
        positive, (n_positive + 1.0) / (n_positive + 2.0), 1.0 / (n_negative + 2.0)
    )
    return targets


def fit_logistic(
    design: FloatArray,
    targets: FloatArray,
    weight: FloatArray,
    start: FloatArray,
    ridge: FloatArray | None = None,
) -> FloatArray:
    """Minimize the weighted log loss plus 1/2 sum ridge (coefficient - start)^2."""
    theta = start.copy()
    ridge = np.zeros(start.size) if ridge is None else ridge

    def loss(parameters: FloatArray) -> float:
        logits = design @ parameters
        fit = weight @ (np.logaddexp(0.0, logits) - targets * logits)
        return float(fit + 0.5 * ridge @ np.square(parameters - start))

    current = loss(theta)
    for _ in range(_NEWTON_STEPS):
        p = expit(design @ theta)
        gradient = design.T @ (weight * (p - targets)) + ridge * (theta - start)
        if np.abs(gradient).max() <= _GRADIENT_TOLERANCE * weight.sum():
            break
        hessian = (design * (weight * p * (1.0 - p))[:, None]).T @ design
        hessian += np.diag(ridge + _LEVENBERG * weight.sum())
        step = np.linalg.solve(hessian, gradient)
        for halving in range(_HALVINGS):
            trial = theta - step / 2.0**halving
            value = loss(trial)
            if value < current:
                theta, current = trial, value
                break
        else:
            break
    return theta
