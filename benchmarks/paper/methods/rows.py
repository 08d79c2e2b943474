"""Rows with labels, and folds over them."""

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
    """Shuffled stratified folds; fewer where the smaller class has not a row for each."""
    rarest = int(np.bincount((rows.y > 0).astype(int), minlength=2).min())
    splitter = StratifiedKFold(max(2, min(n_folds, rarest)), shuffle=True, random_state=seed)
    return list(splitter.split(rows.x, rows.y))


def train_then_test(train: Rows, test: Rows) -> tuple[Rows, Folds]:
    """Both together, with the one fold that trains on the first and validates on the second."""
    both = Rows(np.vstack([train.x, test.x]), np.concatenate([train.y, test.y]))
    everyone = np.arange(both.size)
    return both, [(everyone[: train.size], everyone[train.size :])]
