"""Rows of numbers that can be computed with."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

# Squares of larger values, summed over rows, leave the range of doubles.
LARGEST_VALUE = 1e150


def require_finite(rows: FloatArray) -> None:
    """Name the first cell that is not a usable number."""
    # NaN is the extreme of what contains it, and fails every comparison.
    with np.errstate(invalid="ignore"):
        if rows.min(initial=0.0) > -LARGEST_VALUE and rows.max(initial=0.0) < LARGEST_VALUE:
            return
    for bad, what in (
        (np.isnan(rows), "NaN"),
        (np.isinf(rows), "infinity"),
        (np.abs(rows) > LARGEST_VALUE, f"a value too large to be squared (over {LARGEST_VALUE:g})"),
    ):
        if bad.any():
            row, column = np.argwhere(bad)[0]
            count = int(bad.sum())
            more = f" and {count - 1} more" if count > 1 else ""
            raise ValueError(
                f"Input X contains {what}: row {row}, column {column}{more}. "
                "Rows and columns are counted from 0."
            )
