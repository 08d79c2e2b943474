"""The data sets are those of the paper, and nothing of the test rows reaches training."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.paper import datasets
from benchmarks.paper.datasets import UCI_SETS, MissingDataset, prepared
from benchmarks.paper.methods.rows import Rows, folds_of

# The paper counts WPBC without its four rows with gaps.
COUNTED_OTHERWISE = {"wpbc": (198, 47, 151, 33)}


@pytest.mark.parametrize("key", list(UCI_SETS))
def test_sizes_are_the_printed_ones(key: str, data_dir: Path) -> None:
    rows = datasets.read_csv(data_dir / f"{key}.csv")
    positive = int((rows.y == 1).sum())
    size = (rows.size, positive, rows.size - positive, rows.x.shape[1])
    assert size == COUNTED_OTHERWISE.get(key, UCI_SETS[key].printed_size)


@pytest.mark.parametrize("key", ["iris", "wine", "wdbc"])
def test_scikit_learn_stands_in_where_there_is_no_folder(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FRTSVM_DATA_DIR", raising=False)
    rows = datasets.load.__wrapped__(key)
    positive = int((rows.y == 1).sum())
    assert (rows.size, positive, rows.size - positive, rows.x.shape[1]) == UCI_SETS[
        key
    ].printed_size


def test_a_set_that_is_nowhere_is_left_out_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FRTSVM_DATA_DIR", raising=False)
    with pytest.raises(MissingDataset, match="nonesuch"):
        datasets.load("nonesuch")
    found, reasons = datasets.available(["iris", "nonesuch"])
    assert found == ["iris"]
    assert len(reasons) == 1


def test_gaps_and_ranges_are_learned_from_training_rows() -> None:
    train = Rows(np.array([[0.0, 1.0], [2.0, 3.0], [4.0, np.nan]]), np.array([1, -1, 1]))
    test = Rows(np.array([[8.0, np.nan]]), np.array([1]))
    scaled, asked = prepared(train, test)
    np.testing.assert_allclose(scaled.x, [[0.0, 0.0], [0.5, 1.0], [1.0, 0.5]])
    np.testing.assert_allclose(asked.x, [[2.0, 0.5]])


def test_there_are_no_more_folds_than_rows_of_the_rarer_class() -> None:
    rows = Rows(np.arange(12.0)[:, None], np.array([1] * 4 + [-1] * 8))
    assert len(folds_of(rows, 10, seed=0)) == 4
