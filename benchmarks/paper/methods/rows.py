"""Labeled rows, and cross-validation folds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

Folds = Sequence[tuple[IntArray, IntArray]]


@dataclass(frozen=True)
class Rows:
    x: FloatArray
    y: IntArray  # +1 or -1

    def __getitem__(self, index: IntArray) -> "Rows":
        return Rows(self.x[index], self.y[index])

    @property
    def size(self) -> int:
        return int(self.y.size)


def folds_of(rows: Rows, n_folds: int, seed: int) -> Folds:
    """Shuffled stratified folds, at most one per row of the smaller class."""
    rarest = int(np.bincount((rows.y > 0).astype(int), minlength=2).min())
    splitter = StratifiedKFold(max(2, min(n_folds, rarest)), shuffle=True, random_state=seed)
    return list(splitter.split(rows.x, rows.y))


def train_then_test(train: Rows, test: Rows) -> tuple[Rows, Folds]:
    """Both sets of rows together, with a single fold that trains on `train` and validates on `test`."""
    both = Rows(np.vstack([train.x, test.x]), np.concatenate([train.y, test.y]))
    indices = np.arange(both.size)
    return both, [(indices[: train.size], indices[train.size :])]
