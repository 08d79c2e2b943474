"""Input checks; error messages use scikit-learn's wording where it has one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_array,
    check_X_y,
    validate_data,
)

from frtsvm_core.finite import require_finite

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


def check_rows(estimator: Any, x: Any, *, reset: bool) -> FloatArray:
    """Return X as a C-ordered array of finite doubles."""
    rows: FloatArray = check_array(
        x,
        dtype=np.float64,
        order="C",
        ensure_all_finite=False,
        estimator=estimator,
        input_name="X",
    )
    require_finite(rows)
    validate_data(estimator, x, reset=reset, skip_check_array=True)
    return rows


def check_rows_and_labels(estimator: Any, x: Any, y: Any) -> tuple[FloatArray, NDArray[Any]]:
    """Return X as a C-ordered array of finite doubles, and y as a one-dimensional array."""
    rows, labels = check_X_y(
        x, y, dtype=np.float64, order="C", ensure_all_finite=False, estimator=estimator
    )
    require_finite(rows)
    check_classification_targets(labels)
    validate_data(estimator, x, skip_check_array=True)
    return rows, labels


def check_weights(
    sample_weight: Any, class_weight: Any, x: FloatArray, y: NDArray[Any]
) -> FloatArray:
    """Return one weight per row: `sample_weight` times the weight of the class of the row."""
    weight: FloatArray = _check_sample_weight(
        sample_weight, x, dtype=np.float64, copy=True, ensure_non_negative=True
    )
    if class_weight is not None:
        classes, codes = np.unique(y, return_inverse=True)
        per_class = compute_class_weight(class_weight, classes=classes, y=y, sample_weight=weight)
        weight = weight * per_class[codes]
    return weight


def encode_classes(labels: NDArray[Any]) -> tuple[NDArray[Any], IntArray]:
    """Return the sorted classes, and the class number of each row (the index of its class)."""
    classes, codes = np.unique(labels, return_inverse=True)
    if classes.size < 2:
        present = (
            f"only one class is present: {classes.tolist()[0]!r}"
            if classes.size
            else "no row has a positive weight"
        )
        raise ValueError(
            f"Classifier can't train when {present}. "
            "Pass rows of at least two classes with a positive weight."
        )
    return classes, codes.astype(np.intp)
