"""The summary of training columns."""

from __future__ import annotations

import numpy as np

from app.pipeline.columns import MAX_ROWS, describe_columns
from app.pipeline.preprocess import Preprocessor
from app.schemas.table import Table, TextColumn
from app.schemas.training import TrainingOptions


def _described(table: Table) -> list[dict[str, object]]:
    options = TrainingOptions(impute="median", one_hot=True)
    return describe_columns(table, Preprocessor.fit(table, options))


def test_medians_and_categories_ignore_missing_cells() -> None:
    numbers = np.array([[3.0, np.nan], [np.nan, np.nan], [-1.0, np.nan], [8.0, np.nan]])
    text = TextColumn.encode(["b", None, "b", "a"])
    number, word = _described(Table(numbers, ("size", "colour"), {1: text}))
    assert number == {"name": "size", "kind": "number", "typical": 3.0, "range": [-1.0, 8.0]}
    assert word == {"name": "colour", "kind": "text", "categories": ["a", "b"], "typical": "b"}


def test_many_rows_are_sampled_evenly() -> None:
    numbers = np.arange(4.0 * MAX_ROWS)[:, None]
    (column,) = _described(Table(numbers))
    assert column["range"] == [0.0, 4.0 * MAX_ROWS - 1]
    assert abs(column["typical"] - np.median(numbers)) < 4  # type: ignore[operator]
