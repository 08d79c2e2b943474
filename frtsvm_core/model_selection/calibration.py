"""Map decision scores to probabilities, with curves that were fitted to out-of-fold scores.

"sigmoid"   p = 1/(1 + exp(-(a s + b))), Platt's maximum likelihood with his smoothed targets
"isotonic"  the non-decreasing function of s with the least squared error

With two classes the score of class 1 is calibrated. With more, the score of each class is
calibrated against the rest, and the probabilities are divided by their sum.

This module needs only NumPy, so that a server that predicts does not load the dependencies of
`calibration_fitting`.
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
    """p = 1/(1 + exp(-(slope s + offset)))."""

    slope: float
    offset: float

    def __call__(self, scores: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            probabilities: FloatArray = 1.0 / (1.0 + np.exp(-(self.slope * scores + self.offset)))
        return probabilities


@dataclass(frozen=True)
class PiecewiseLinearCurve:
    """Linear between the knots, constant beyond the outermost ones."""

    knots: FloatArray
    values: FloatArray

    def __call__(self, scores: FloatArray) -> FloatArray:
        probabilities: FloatArray = np.interp(scores, self.knots, self.values)
        return probabilities


Curve = SigmoidCurve | PiecewiseLinearCurve


@dataclass(frozen=True)
class Calibration:
    """Map from decision scores to probabilities, with its quality on out-of-fold rows.

    Attributes
    ----------
    method : {"sigmoid", "isotonic"}
        Kind of the curves.
    n_classes : int
        Number of classes.
    curves : tuple of callables
        Functions from scores to probabilities: one for two classes, otherwise one per class.
    brier : float or None
        Cross-validated Brier score (smaller is better); None after `from_arrays`.
    reliability : ReliabilityTable or None
        Cross-validated table of predicted probabilities against observed frequencies; None after
        `from_arrays`.
    """

    method: str
    n_classes: int
    curves: tuple[Curve, ...]
    brier: float | None = None
    reliability: ReliabilityTable | None = field(default=None, compare=False)

    def probabilities(self, scores: FloatArray) -> FloatArray:
        """Convert decision scores to probabilities.

        Parameters
        ----------
        scores : ndarray of shape (n_rows,) or (n_rows, n_classes)
            Scores, as returned by `decision_function`.

        Returns
        -------
        probabilities : ndarray of shape (n_rows, n_classes)
            Probabilities, one column per class.
        """
        if self.n_classes == 2:
            positive = self.curves[0](scores)
            return np.stack([1.0 - positive, positive], axis=1)
        each = np.stack([curve(scores[:, k]) for k, curve in enumerate(self.curves)], axis=1)
        total = each.sum(axis=1, keepdims=True)
        # If every class has probability 0, all are taken as equally likely.
        shares: FloatArray = np.full_like(each, 1.0 / self.n_classes)
        np.divide(each, total, out=shares, where=total > 0.0)
        return shares

    def to_arrays(self) -> dict[str, Any]:
        """Export all that `probabilities` needs as plain data.

        Returns
        -------
        state : dict
            Numbers, strings and arrays. `brier` and `reliability` are not included.
        """
        state: dict[str, Any] = {
            "calibration_version": CALIBRATION_VERSION,
            "method": self.method,
            "n_classes": self.n_classes,
        }
        sigmoids = [curve for curve in self.curves if isinstance(curve, SigmoidCurve)]
        steps = [curve for curve in self.curves if isinstance(curve, PiecewiseLinearCurve)]
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
        """Build a calibration from exported plain data.

        Parameters
        ----------
        state : mapping
            The result of `to_arrays`.

        Returns
        -------
        calibration : Calibration
            Calibration with the same `probabilities`; `brier` and `reliability` are None.

        Raises
        ------
        ValueError
            If the calibration version or the method is unknown, or the entries do not match each
            other.
        """
        if state.get("calibration_version") != CALIBRATION_VERSION:
            raise ValueError(
                f"Unknown calibration version {state.get('calibration_version')!r}; this release "
                f"of the library reads version {CALIBRATION_VERSION}. Load the calibration with "
                "the release that wrote it."
            )
        method, n_classes = state["method"], int(state["n_classes"])
        curves: list[Curve]
        if method == "sigmoid":
            pairs = zip(state["slopes"], state["offsets"], strict=True)
            curves = [SigmoidCurve(float(slope), float(offset)) for slope, offset in pairs]
        elif method == "isotonic":
            ends = np.cumsum(state["n_knots"])
            if ends[-1] != len(state["knots"]) or ends[-1] != len(state["values"]):
                raise ValueError(
                    "The state of the calibration is inconsistent: knots, values and n_knots have "
                    "different sizes. Export the calibration again."
                )
            knots = np.split(np.asarray(state["knots"]), ends[:-1])
            values = np.split(np.asarray(state["values"]), ends[:-1])
            curves = [PiecewiseLinearCurve(k, v) for k, v in zip(knots, values, strict=True)]
        else:
            raise ValueError(
                f"The state of the calibration names the unknown method {method!r}; "
                f"expected one of {', '.join(METHODS)}."
            )
        if len(curves) != (1 if n_classes == 2 else n_classes):
            raise ValueError(
                "The state of the calibration is inconsistent: the number of curves is "
                f"{len(curves)} for {n_classes} classes. Export the calibration again."
            )
        return cls(method, n_classes, tuple(curves))
