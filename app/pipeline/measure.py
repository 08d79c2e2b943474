"""Folds and holdouts of a validation, and their scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.schemas.training import Validation

Codes = NDArray[np.int64]


def splits(
    codes: Codes, validation: Validation, seed: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield the numbers of the training rows and of the test rows of each stratified split."""
    # Imported here because web processes load this module but do not need scikit-learn.
    from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

    if validation.folds is not None:
        splitter: Any = StratifiedKFold(validation.folds, shuffle=True, random_state=seed)
    else:
        splitter = StratifiedShuffleSplit(1, test_size=validation.holdout, random_state=seed)
    yield from splitter.split(np.zeros(len(codes)), codes)


def n_splits(validation: Validation | None) -> int:
    """Return the number of models that a validation fits."""
    return 0 if validation is None else validation.folds or 1


def scores(true: Codes, predicted: Codes, n_classes: int) -> dict[str, Any]:
    """Return accuracy, balanced accuracy, F1 (mean over the classes) and the confusion matrix."""
    pairs = true * n_classes + predicted
    matrix = np.bincount(pairs, minlength=n_classes**2).reshape(n_classes, n_classes)
    return {**summary(matrix), "confusion_matrix": matrix.tolist()}


def summary(matrix: NDArray[np.int64]) -> dict[str, float]:
    """Return the scores of a confusion matrix, without classes that do not occur."""
    hits = np.diag(matrix).astype(float)
    actual, guessed = matrix.sum(axis=1), matrix.sum(axis=0)
    occurs = actual > 0
    involved = actual + guessed > 0
    recall = hits[occurs] / actual[occurs]
    f1 = 2 * hits[involved] / (actual + guessed)[involved]
    return {
        "accuracy": float(hits.sum() / matrix.sum()),
        "balanced_accuracy": float(recall.mean()),
        "f1": float(f1.mean()),
    }


def combine(validation: Validation, folds: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the means over the folds and the sum of their confusion matrices."""
    total = np.sum([fold["confusion_matrix"] for fold in folds], axis=0)
    means = {
        name: float(np.mean([fold[name] for fold in folds]))
        for name in ("accuracy", "balanced_accuracy", "f1")
    }
    return {
        **means,
        "confusion_matrix": total.tolist(),
        "method": validation.model_dump(),
        "folds": folds,
    }
