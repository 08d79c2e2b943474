"""One fit: inputs that can be computed with, an estimator, planes that are finite."""

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
    """What the estimator sees of the rows of a table."""
    with np.errstate(over="ignore", invalid="ignore"):
        inputs = preprocessor.transform(table)
    if not np.isfinite(inputs).all():
        column = int(np.argwhere(~np.isfinite(inputs))[0, 1])
        raise TrainingRejected(f"input {column} is too large to be scaled in double precision")
    return inputs


def estimator_for(params: EstimatorParams, data: TrainingData) -> FRTSVMClassifier:
    """The estimator, for classes that are numbered."""
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
    """A fitted estimator; `sweep` is told of its progress."""
    estimator = estimator_for(params, data)
    try:
        estimator.fit(inputs, data.codes, sample_weight=data.weights, callback=sweep)
    except (ValueError, np.linalg.LinAlgError, FloatingPointError) as error:
        raise TrainingRejected(f"the training failed: {str(error)[:500]}") from error
    if not np.isfinite(np.asarray(estimator.plane_norms_)).all():
        raise TrainingRejected("the training gave planes that are not finite")
    return estimator
