"""Reject NaN, infinity, and values whose squares would overflow."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

# With larger values, sums of squares over the rows could overflow a double (about 1.8e308).
LARGEST_VALUE = 1e150


def require_finite(rows: FloatArray) -> None:
    """Raise ValueError that names the first cell that is NaN, infinite or too large."""
    # min() and max() propagate NaN, and comparisons with NaN are false, so NaN fails this test too.
    with np.errstate(invalid="ignore"):
        if rows.min(initial=0.0) > -LARGEST_VALUE and rows.max(initial=0.0) < LARGEST_VALUE:
            return
    for bad, description in (
        (np.isnan(rows), "NaN"),
        (np.isinf(rows), "infinity"),
        (
            np.abs(rows) > LARGEST_VALUE,
            f"a value too large to be squared (above {LARGEST_VALUE:g})",
        ),
    ):
        if bad.any():
            row, column = np.argwhere(bad)[0]
            count = int(bad.sum())
            more = f" (the first of {count} such cells)" if count > 1 else ""
            raise ValueError(
                f"Input X contains {description}: row {row}, column {column}{more}. "
                "Rows and columns are counted from 0. Remove or replace such values."
            )
