"""Probabilities from decision scores, by curves that were learned on out-of-fold scores.

"sigmoid"   p = 1/(1 + exp(-(a s + b))), Platt's maximum likelihood with his smoothed targets
"isotonic"  the best non-decreasing function of s

With two classes the score of class 1 is calibrated. With more, the score of each class is calibrated
against the rest, and the probabilities are divided by their sum.

NumPy alone is enough here: a server that predicts does not load what calibrating needs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frtsvm_core.model_selection.reliability import ReliabilityTable

FloatArray = NDArray[np.float64]

CALIBRATION_VERSION = 1
METHODS = ("sigmoid", "isotonic")


@dataclass(frozen=True)
class SigmoidCurve:
    slope: float
    offset: float

    def __call__(self, scores: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            probabilities: FloatArray = 1.0 / (1.0 + np.exp(-(self.slope * scores + self.offset)))
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
