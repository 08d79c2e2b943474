"""Fitted estimators as plain data: what a store keeps."""

from typing import Any

import numpy as np

from frtsvm_core.estimators._base import TwinPlaneClassifier
from frtsvm_core.estimators._preparation import KernelSettings
from frtsvm_core.predictor import BALANCED_STATE_VERSION, STATE_VERSION


def to_arrays(estimator: TwinPlaneClassifier) -> dict[str, Any]:
    """Everything that prediction needs, as arrays, numbers and strings.

    Classes are kept as an array of their own type, so that a caller who wants no object arrays in its
    files fits on integer codes.
    """
    model = estimator.plane_model()
    kernel = KernelSettings.of(estimator)
    if kernel.name == "callable":
        raise ValueError("a model with a callable kernel cannot be turned into plain data")
    state: dict[str, Any] = {
        "state_version": STATE_VERSION,
        "kernel": kernel.name,
        "gamma": float(estimator.gamma_),
        "degree": int(kernel.degree),
        "coef0": float(kernel.coef0),
        "n_features": int(estimator.n_features_in_),
        "classes": np.asarray(estimator.classes_),
        "coef": model.coef,
        "intercept": model.intercept,
        "norms": model.norms,
        "plane_classes": model.plane_classes,
    }
    if model.landmarks is not None:
        state["landmarks"] = model.landmarks
    if model.balance is not None:
        state["state_version"] = BALANCED_STATE_VERSION
        state["plane_weights"] = model.balance.weights
        state["pair_offsets"] = model.balance.offsets
    return state
