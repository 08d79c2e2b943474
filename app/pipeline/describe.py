"""The stored part of the model info, computed from a fitted estimator."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.pipeline.columns import describe_columns
from app.pipeline.convergence import membership_histograms
from app.pipeline.data import TrainingData
from app.pipeline.preprocess import Preprocessor
from app.schemas.training import TrainingOptions
from frtsvm_core import FRTSVMClassifier
from frtsvm_core.model_selection.calibration import Calibration
from frtsvm_core.model_selection.distance_weights import LearnedBalance

#: Largest number of suspected rows in the model info. All of them are in the evidence.
MAX_SUSPECTED = 100


def describe(
    data: TrainingData,
    options: TrainingOptions,
    preprocessor: Preprocessor,
    estimator: FRTSVMClassifier,
    evidence: dict[str, Any],
) -> dict[str, Any]:
    """Return the facts about a version, which never change."""
    memberships, suspected = evidence["memberships"], evidence["suspected"]
    rows = np.flatnonzero(suspected)
    rows = rows[np.argsort(memberships[rows], kind="stable")][:MAX_SUSPECTED]
    return {
        "classes": list(data.classes),
        "class_counts": data.class_counts().tolist(),
        "n_rows": data.table.n_rows,
        "n_features": data.table.n_columns,
        "feature_names": None if data.table.names is None else list(data.table.names),
        "columns": describe_columns(data.table, preprocessor),
        "n_inputs": preprocessor.n_inputs,
        "params": options.params.model_dump(),
        "scale": options.scale,
        "impute": options.impute,
        "one_hot": options.one_hot,
        "kernel": _kernel(options, estimator),
        "certificate": _certificate(data, estimator),
        "memberships": {
            "min": float(memberships.min()),
            "mean": float(memberships.mean()),
            "median": float(np.median(memberships)),
            "max": float(memberships.max()),
            "n_suspected": int(suspected.sum()),
            "histograms": membership_histograms(memberships, data.codes, len(data.classes)),
        },
        "suspected_rows": rows.tolist(),
        "training_accuracy": float(np.mean(evidence["predicted"] == evidence["codes"])),
    }


def describe_decision(
    data: TrainingData, estimator: FRTSVMClassifier, learned: LearnedBalance | None
) -> dict[str, Any] | None:
    """Return the distance weights of each pair of planes, or None if the nearer plane decides."""
    if learned is None:
        return None
    weights = learned.balance.weights.reshape(-1, 2).tolist()
    offsets = learned.balance.offsets.tolist()
    pairs = np.asarray(estimator.plane_classes_)[::2].tolist()
    return {
        "pairs": [
            {
                "classes": [data.classes[first], data.classes[second]],
                "weights": weights[number],
                "offset": offsets[number],
            }
            for number, (first, second) in enumerate(pairs)
        ],
        "held_out_accuracy": learned.score,
        "nearest_plane_accuracy": learned.nearest_score,
    }


def describe_probability(calibration: Calibration) -> dict[str, Any]:
    """Return the reliability of the probabilities, computed on rows outside the calibration fit."""
    reliability = calibration.reliability
    assert reliability is not None
    bins = np.stack(list(reliability.to_dict().values()), axis=1)
    names = list(reliability.to_dict())
    return {
        "method": calibration.method,
        "brier": calibration.brier,
        "calibration_error": reliability.calibration_error,
        "reliability": [
            {
                name: None if np.isnan(value) else float(value)
                for name, value in zip(names, row, strict=True)
            }
            for row in bins
        ],
    }


def _kernel(options: TrainingOptions, estimator: FRTSVMClassifier) -> dict[str, Any]:
    linear = options.params.kernel == "linear"
    gamma = None if linear else getattr(estimator, "gamma_", None)
    return {
        "name": options.params.kernel,
        "gamma": None if gamma is None else float(gamma),
        "rank": int(estimator.rank_),
        "residual": float(estimator.kernel_residual_),
    }


def _certificate(data: TrainingData, estimator: FRTSVMClassifier) -> dict[str, Any]:
    planes = []
    for (own, other), proof in zip(
        np.asarray(estimator.plane_classes_).tolist(), estimator.certificates_, strict=True
    ):
        planes.append(
            {
                "own_class": data.classes[own],
                "other_class": None if other < 0 else data.classes[other],
                "primal": float(proof.primal),
                "dual": float(proof.dual),
                "gap": float(proof.gap),
                "relative_gap": float(proof.relative_gap),
                "kkt_violation": float(proof.kkt_violation),
                "n_sweeps": int(proof.n_sweeps),
                "converged": bool(proof.converged),
            }
        )
    return {
        "converged": all(plane["converged"] for plane in planes),
        "relative_gap": max(plane["relative_gap"] for plane in planes),
        "planes": planes,
    }
