"""Each corruption changes the stated share of the rows."""

import numpy as np
import pytest

from benchmarks.paper.corruption import CORRUPTIONS
from benchmarks.paper.methods.rows import Rows

ROWS = Rows(np.linspace(0.0, 1.0, 200).reshape(100, 2), np.array([1] * 60 + [-1] * 40))


@pytest.mark.parametrize(("key", "flipped"), [("clean", 0), ("flip10", 10), ("flip30", 30)])
def test_the_share_of_each_class_is_flipped(key: str, flipped: int) -> None:
    noisy = CORRUPTIONS[key].apply(ROWS, seed=0)
    differs = noisy.y != ROWS.y
    assert differs.sum() == flipped
    assert differs[:60].sum() == 0.6 * flipped
    np.testing.assert_array_equal(noisy.x, ROWS.x)


def test_outliers_keep_their_labels() -> None:
    noisy = CORRUPTIONS["outliers"].apply(ROWS, seed=0)
    np.testing.assert_array_equal(noisy.y, ROWS.y)
    assert (noisy.x != ROWS.x).any(axis=1).sum() == 10
    assert np.abs(noisy.x).max() > 2.0


def test_the_input_rows_are_not_modified() -> None:
    before = ROWS.x.copy(), ROWS.y.copy()
    for corruption in CORRUPTIONS.values():
        corruption.apply(ROWS, seed=1)
    np.testing.assert_array_equal(ROWS.x, before[0])
    np.testing.assert_array_equal(ROWS.y, before[1])
