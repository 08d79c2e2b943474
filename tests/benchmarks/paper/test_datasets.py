"""The data sets have the sizes stated in the paper, whatever their source."""

from pathlib import Path

import pytest

from benchmarks.paper import datasets
from benchmarks.paper.datasets import UCI_SETS, MissingDataset

# The paper counts WPBC without its four rows with missing values.
COUNTED_OTHERWISE = {"wpbc": (198, 47, 151, 33)}


@pytest.mark.parametrize("key", list(UCI_SETS))
def test_sizes_are_the_printed_ones(key: str, data_dir: Path) -> None:
    rows = datasets.read_csv(data_dir / f"{key}.csv")
    positive = int((rows.y == 1).sum())
    size = (rows.size, positive, rows.size - positive, rows.x.shape[1])
    assert size == COUNTED_OTHERWISE.get(key, UCI_SETS[key].printed_size)


@pytest.mark.parametrize("key", ["iris", "wine", "wdbc"])
def test_without_a_data_folder_sets_come_from_scikit_learn(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FRTSVM_DATA_DIR", raising=False)
    rows = datasets.load.__wrapped__(key)
    positive = int((rows.y == 1).sum())
    assert (rows.size, positive, rows.size - positive, rows.x.shape[1]) == UCI_SETS[
        key
    ].printed_size


def test_a_set_without_a_source_is_left_out_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FRTSVM_DATA_DIR", raising=False)
    with pytest.raises(MissingDataset, match="nonesuch"):
        datasets.load("nonesuch")
    found, reasons = datasets.available(["iris", "nonesuch"])
    assert found == ["iris"]
    assert len(reasons) == 1
