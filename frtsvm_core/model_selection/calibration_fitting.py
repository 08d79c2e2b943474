"""Fit calibrations (Platt's sigmoid, isotonic regression) to out-of-fold scores."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression

from frtsvm_core.model_selection.calibration import (
    METHODS,
    Calibration,
    Curve,
    PiecewiseLinearCurve,
    SigmoidCurve,
)
from frtsvm_core.model_selection.logistic import CLIP_AT_MEDIANS, fit_logistic, smoothed_targets
from frtsvm_core.model_selection.reliability import brier_score, reliability_table

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

#: Takes a mask of rows, learns a decision rule from these rows only, and returns its scores for all
#: rows.
LearnedScores = Callable[[NDArray[np.bool_]], FloatArray]


def fit_calibration(
    scores: FloatArray | LearnedScores,
    codes: IntArray,
    fold: IntArray,
    *,
    method: str,
    sample_weight: FloatArray | None = None,
) -> Calibration:
    """Calibrate out-of-fold scores.

    Parameters
    ----------
    scores : ndarray or callable
        Out-of-fold scores of all rows, as `decision_function` returns them; or a function that
        learns a decision rule from a mask of rows and returns its scores for all rows.
    codes : ndarray of shape (n_rows,)
        Class numbers.
    fold : ndarray of shape (n_rows,)
        Number of the fold that held each row out. Brier score and reliability are cross-validated
        over these folds: no row contributes to the curve, or to the decision rule, that it is
        judged by.
    method : {"sigmoid", "isotonic"}
        Kind of the curves.
    sample_weight : ndarray of shape (n_rows,) or None
        Weights of the rows; None gives every row weight 1.

    Returns
    -------
    Calibration
        The calibration fitted to all rows, with the cross-validated Brier score and reliability.
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {METHODS}; got {method!r}.")
    weight = np.ones(codes.size) if sample_weight is None else sample_weight
    learned: LearnedScores = scores if callable(scores) else lambda _: scores
    of_all = learned(np.ones(codes.size, dtype=bool))
    n_classes = 2 if of_all.ndim == 1 else of_all.shape[1]
    out_of_fold = np.empty((codes.size, n_classes))
    for number in np.unique(fold):
        out = fold == number
        of_others = learned(~out)
        curves = _curves(of_others[~out], codes[~out], weight[~out], method)
        out_of_fold[out] = Calibration(method, n_classes, curves).probabilities(of_others[out])
    return Calibration(
        method,
        n_classes,
        _curves(of_all, codes, weight, method),
        brier=brier_score(out_of_fold, codes, weight),
        reliability=reliability_table(out_of_fold, codes, weight),
    )


def _curves(
    scores: FloatArray, codes: IntArray, weight: FloatArray, method: str
) -> tuple[Curve, ...]:
    fit = fit_sigmoid if method == "sigmoid" else fit_isotonic
    if scores.ndim == 1:
        return (fit(scores, codes == 1, weight),)
    return tuple(fit(scores[:, k], codes == k, weight) for k in range(scores.shape[1]))


def fit_isotonic(
    scores: FloatArray, positive: NDArray[np.bool_], weight: FloatArray
) -> PiecewiseLinearCurve:
    """Fit the non-decreasing function with the least weighted squared error."""
    regression = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    regression.fit(scores, positive.astype(np.float64), sample_weight=weight)
    return PiecewiseLinearCurve(
        np.asarray(regression.X_thresholds_, dtype=np.float64),
        np.asarray(regression.y_thresholds_, dtype=np.float64),
    )


def fit_sigmoid(
    scores: FloatArray, positive: NDArray[np.bool_], weight: FloatArray
) -> SigmoidCurve:
    """Fit a sigmoid by maximum likelihood with Platt's targets.

    See Lin, Lin & Weng, "A note on Platt's probabilistic outputs for support vector machines",
    2007.
    """
    scale = float(np.median(np.abs(scores))) or 1.0
    x = np.clip(scores / scale, -CLIP_AT_MEDIANS, CLIP_AT_MEDIANS)
    design = np.stack([x, np.ones_like(x)], axis=1)
    odds = (weight[positive].sum() + 1.0) / (weight[~positive].sum() + 1.0)
    slope, offset = fit_logistic(
        design, smoothed_targets(positive, weight), weight, np.array([0.0, np.log(odds)])
    )
    return SigmoidCurve(float(slope / scale), float(offset))
