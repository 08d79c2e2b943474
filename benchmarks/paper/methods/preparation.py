"""Imputation and scaling, always learned from the training rows only."""

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
    """Impute the median and scale the features to [0, 1], both learned from `train` only."""
    steps = make_pipeline(SimpleImputer(strategy="median"), MinMaxScaler()).fit(train.x)
    return tuple(Rows(steps.transform(rows.x), rows.y) for rows in (train, *others))


def raw_tables(
    keys: Sequence[str], kernel: str, rows: Rows, folds: Folds, grid: Grid
) -> dict[str, ScoreTable]:
    """`score_tables` of unprepared rows: each fold is prepared with its own training rows."""
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
    """Tune each method on the same unprepared rows, folds and grid."""
    tables = raw_tables(keys, kernel, rows, folds, grid)
    return {key: table.best() for key, table in tables.items()}
