"""Random problems for the tests: overlapping classes of rows, and box-constrained problems."""

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def two_clouds(
    seed: int, n_rows: int = 40, n_features: int = 3, shift: float = 1.0
) -> tuple[FloatArray, NDArray[np.int64]]:
    """Two overlapping clouds with labels 0 and 1, both present."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    y[:2] = 0, 1
    return rng.normal(size=(n_rows, n_features)) + shift * y[:, None], y


def box_problem(seed: int, n: int, p: int, scale: float = 1.0) -> tuple[FloatArray, FloatArray]:
    """Return Z and C of a dual problem whose solution has coordinates at 0, at C and between."""
    rng = np.random.default_rng(seed)
    rows = scale * (rng.normal(size=(n, p)) + 0.5)
    rows[:, -1] = 0.1
    return rows, rng.random(n)


seeds = st.integers(0, 2**32 - 1)
