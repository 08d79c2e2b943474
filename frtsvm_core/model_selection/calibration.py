"""Probabilities from decision scores, learned on out-of-fold scores.

"sigmoid"   p = 1/(1 + exp(-(a s + b))), Platt's maximum likelihood with his smoothed targets
"isotonic"  the best non-decreasing function of s

With two classes the score of class 1 is calibrated. With more, the score of each class is calibrated
against the rest, and the probabilities are divided by their sum.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression

from frtsvm_core.model_selection.reliability import (
    ReliabilityTable,
    brier_score,
    reliability_table,
)

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

CALIBRATION_VERSION = 1
METHODS = ("sigmoid", "isotonic")

# Scores farther out than this many times their median size teach a sigmoid nothing more, and their
# squares might overflow: a plane without direction is almost infinitely far from every row.
_FARTHEST = 50.0
_NEWTON_STEPS = 100
_HALVINGS = 30
_GRADIENT_TOLERANCE = 1e-10
_LEVENBERG = 1e-12


@dataclass(frozen=True)
class SigmoidCurve:
    slope: float
    offset: float

    def __call__(self, scores: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            probabilities: FloatArray = expit(self.slope * scores + self.offset)
        return probabilities


@dataclass(frozen=True)
class StepCurve:
    """Linear between knots, constant beyond them."""

    knots: FloatArray
    values: FloatArray

    def __call__(self, scores: FloatArray) -> FloatArray:
        probabilities: FloatArray = np.interp(scores, self.knots, self.values)
        return probabilities


Curve = SigmoidCurve | StepCurve


@dataclass(frozen=True)
class Calibration:
    """The way from decision scores to probabilities, and how well it did on rows not used for it."""

    method: str
    n_classes: int
    curves: tuple[Curve, ...]  # one for two classes, else one per class
    brier: float | None = None
    reliability: ReliabilityTable | None = field(default=None, compare=False)

    def probabilities(self, scores: FloatArray) -> FloatArray:
        """One column per class, for scores as `decision_function` gives them."""
        if self.n_classes == 2:
            positive = self.curves[0](scores)
            return np.stack([1.0 - positive, positive], axis=1)
        each = np.stack([curve(scores[:, k]) for k, curve in enumerate(self.curves)], axis=1)
        total = each.sum(axis=1, keepdims=True)
        # Where no class is possible, none is more possible than another.
        shares: FloatArray = np.full_like(each, 1.0 / self.n_classes)
        np.divide(each, total, out=shares, where=total > 0.0)
        return shares

    def to_arrays(self) -> dict[str, Any]:
        """Everything `probabilities` needs, as numbers, strings and plain arrays."""
        state: dict[str, Any] = {
            "calibration_version": CALIBRATION_VERSION,
            "method": self.method,
            "n_classes": self.n_classes,
        }
        sigmoids = [curve for curve in self.curves if isinstance(curve, SigmoidCurve)]
        steps = [curve for curve in self.curves if isinstance(curve, StepCurve)]
        if sigmoids:
            state["slopes"] = np.array([curve.slope for curve in sigmoids])
            state["offsets"] = np.array([curve.offset for curve in sigmoids])
        else:
            state["knots"] = np.concatenate([curve.knots for curve in steps])
            state["values"] = np.concatenate([curve.values for curve in steps])
            state["n_knots"] = np.array([curve.knots.size for curve in steps], dtype=np.int64)
        return state

    @classmethod
    def from_arrays(cls, state: Mapping[str, Any]) -> "Calibration":
        """The inverse of `to_arrays`; ValueError where the parts do not fit together."""
        if state.get("calibration_version") != CALIBRATION_VERSION:
            raise ValueError(f"unknown calibration version {state.get('calibration_version')!r}")
        method, n_classes = state["method"], int(state["n_classes"])
        curves: list[Curve]
        if method == "sigmoid":
            pairs = zip(state["slopes"], state["offsets"], strict=True)
            curves = [SigmoidCurve(float(slope), float(offset)) for slope, offset in pairs]
        elif method == "isotonic":
            ends = np.cumsum(state["n_knots"])
            if ends[-1] != len(state["knots"]) or ends[-1] != len(state["values"]):
                raise ValueError("the state of the calibration is inconsistent: knots")
            knots = np.split(np.asarray(state["knots"]), ends[:-1])
            values = np.split(np.asarray(state["values"]), ends[:-1])
            curves = [StepCurve(k, v) for k, v in zip(knots, values, strict=True)]
        else:
            raise ValueError(f"unknown calibration method {method!r}")
        if len(curves) != (1 if n_classes == 2 else n_classes):
            raise ValueError("the state of the calibration is inconsistent: classes")
        return cls(method, n_classes, tuple(curves))


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
