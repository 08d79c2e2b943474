"""Gaps and ranges, always learned from the rows that train."""

from collections.abc import Sequence

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from benchmarks.paper.methods.grids import Grid
from benchmarks.paper.methods.registry import score_tables
from benchmarks.paper.methods.rows import Folds, Rows, train_then_test
from benchmarks.paper.methods.selection import Choice, ScoreTable


def prepared(train: Rows, *others: Rows) -> tuple[Rows, ...]:
    """Gaps filled with the median, features scaled to [0, 1], both learned from `train` alone."""
    steps = make_pipeline(SimpleImputer(strategy="median"), MinMaxScaler()).fit(train.x)
    return tuple(Rows(steps.transform(rows.x), rows.y) for rows in (train, *others))


def raw_tables(
    keys: Sequence[str], kernel: str, rows: Rows, folds: Folds, grid: Grid
) -> dict[str, ScoreTable]:
    """`score_tables` of rows as they are in the file: each fold is prepared by its own training rows."""
    parts = []
    for train, validation in folds:
        pair = prepared(rows[train], rows[validation])
        parts.append(score_tables(keys, kernel, *train_then_test(*pair), grid))
    return {
        key: ScoreTable(parts[0][key].axes, np.mean([part[key].scores for part in parts], axis=0))
        for key in keys
    }


def tune_raw(
    keys: Sequence[str], kernel: str, rows: Rows, folds: Folds, grid: Grid
) -> dict[str, Choice]:
    """The choice of each method on the same rows, folds and grid."""
    tables = raw_tables(keys, kernel, rows, folds, grid)
    return {key: table.best() for key, table in tables.items()}
