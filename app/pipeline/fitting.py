"""Fit one estimator, and refuse inputs or planes that are not finite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from app.errors import TrainingRejected
from app.pipeline.data import TrainingData, label_text
from app.pipeline.preprocess import Matrix, Preprocessor
from app.schemas.table import Table
from app.schemas.training import EstimatorParams
from frtsvm_core import FRTSVMClassifier


def inputs_of(preprocessor: Preprocessor, table: Table) -> Matrix:
    """Return the inputs of the estimator for the rows of a table."""
    with np.errstate(over="ignore", invalid="ignore"):
        inputs = preprocessor.transform(table)
    if not np.isfinite(inputs).all():
        column = int(np.argwhere(~np.isfinite(inputs))[0, 1])
        raise TrainingRejected(
            f"Numeric column {column} (counted from 0, text columns left out) has values too large "
            "to be scaled in double precision. Divide the column by a constant."
        )
    return inputs


def estimator_for(params: EstimatorParams, data: TrainingData) -> FRTSVMClassifier:
    """Return an unfitted estimator for labels that are codes: indices into `data.classes`.

    The keys of `class_weight` are converted to these codes.
    """
    values: dict[str, Any] = params.model_dump()
    weights = values["class_weight"]
    if isinstance(weights, dict):
        classes: list[Any] = list(data.classes)
        by_text = {label_text(label): code for code, label in enumerate(classes)}
        values["class_weight"] = {by_text[text]: weight for text, weight in weights.items()}
    return FRTSVMClassifier(**values)


def fit(
    params: EstimatorParams, inputs: Matrix, data: TrainingData, sweep: Callable[[Any], None]
) -> FRTSVMClassifier:
    """Return a fitted estimator; `sweep` is its progress callback."""
    estimator = estimator_for(params, data)
    try:
        estimator.fit(inputs, data.codes, sample_weight=data.weights, callback=sweep)
    except (ValueError, np.linalg.LinAlgError, FloatingPointError) as error:
        raise TrainingRejected(f"The training failed: {str(error)[:500]}") from error
    if not np.isfinite(np.asarray(estimator.plane_norms_)).all():
        raise TrainingRejected(
            "The training gave planes with values that are not finite. Scale the columns, or "
            "choose other parameters."
        )
    return estimator
