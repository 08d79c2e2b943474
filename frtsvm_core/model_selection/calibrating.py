"""Calibrations are learned here: Platt's sigmoid and the isotonic curve, on out-of-fold scores."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression

from frtsvm_core.model_selection.calibration import (
    METHODS,
    Calibration,
    Curve,
    SigmoidCurve,
    StepCurve,
)
from frtsvm_core.model_selection.reliability import brier_score, reliability_table

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

# Scores farther out than this many times their median size teach a sigmoid nothing more, and their
# squares might overflow: a plane without direction is almost infinitely far from every row.
_FARTHEST = 50.0
_NEWTON_STEPS = 100
_HALVINGS = 30
_GRADIENT_TOLERANCE = 1e-10
_LEVENBERG = 1e-12


def fit_calibration(
    scores: FloatArray,
    codes: IntArray,
    fold: IntArray,
    *,
    method: str,
    sample_weight: FloatArray | None = None,
) -> Calibration:
    """Calibrate out-of-fold scores for rows with class numbers `codes`.

    `fold` says which fold a row was held out with: Brier score and reliability are those of
    calibrations learned on the other folds, so that no row is judged by a curve it has shaped.
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {METHODS}, not {method!r}")
    weight = np.ones(codes.size) if sample_weight is None else sample_weight
    n_classes = 2 if scores.ndim == 1 else scores.shape[1]
    held_out = np.empty((codes.size, n_classes))
    for number in np.unique(fold):
        out = fold == number
        learned = _curves(scores[~out], codes[~out], weight[~out], method)
        held_out[out] = Calibration(method, n_classes, learned).probabilities(scores[out])
    return Calibration(
        method,
        n_classes,
        _curves(scores, codes, weight, method),
        brier=brier_score(held_out, codes, weight),
        reliability=reliability_table(held_out, codes, weight),
    )


def _curves(
    scores: FloatArray, codes: IntArray, weight: FloatArray, method: str
) -> tuple[Curve, ...]:
    fit = fit_sigmoid if method == "sigmoid" else fit_isotonic
    if scores.ndim == 1:
        return (fit(scores, codes == 1, weight),)
    return tuple(fit(scores[:, k], codes == k, weight) for k in range(scores.shape[1]))


def fit_isotonic(scores: FloatArray, positive: NDArray[np.bool_], weight: FloatArray) -> StepCurve:
    """The non-decreasing function with the least weighted squared error."""
    regression = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    regression.fit(scores, positive.astype(np.float64), sample_weight=weight)
    return StepCurve(
        np.asarray(regression.X_thresholds_, dtype=np.float64),
        np.asarray(regression.y_thresholds_, dtype=np.float64),
    )


def fit_sigmoid(
    scores: FloatArray, positive: NDArray[np.bool_], weight: FloatArray
) -> SigmoidCurve:
    """Maximum likelihood with Platt's targets (n+ + 1)/(n+ + 2) and 1/(n- + 2), by Newton steps with
    halving (Lin, Lin & Weng, "A note on Platt's probabilistic outputs", 2007)."""
    scale = float(np.median(np.abs(scores))) or 1.0
    x = np.clip(scores / scale, -_FARTHEST, _FARTHEST)
    n_positive, n_negative = float(weight[positive].sum()), float(weight[~positive].sum())
    targets = np.where(positive, (n_positive + 1.0) / (n_positive + 2.0), 1.0 / (n_negative + 2.0))
    design = np.stack([x, np.ones_like(x)], axis=1)
    theta = np.array([0.0, np.log((n_positive + 1.0) / (n_negative + 1.0))])

    def loss(parameters: FloatArray) -> float:
        logits = design @ parameters
        return float(weight @ (np.logaddexp(0.0, logits) - targets * logits))

    current = loss(theta)
    for _ in range(_NEWTON_STEPS):
        p = expit(design @ theta)
        gradient = design.T @ (weight * (p - targets))
        if np.abs(gradient).max() <= _GRADIENT_TOLERANCE * weight.sum():
            break
        hessian = (design * (weight * p * (1.0 - p))[:, None]).T @ design
        hessian += _LEVENBERG * weight.sum() * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        for halving in range(_HALVINGS):
            trial = theta - step / 2.0**halving
            value = loss(trial)
            if value < current:
                theta, current = trial, value
                break
        else:
            break
    return SigmoidCurve(float(theta[0] / scale), float(theta[1]))
