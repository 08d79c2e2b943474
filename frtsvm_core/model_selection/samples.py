"""Stratified samples of the rows, with folds."""

from copy import copy
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, check_cv

from frtsvm_core.model_selection.fold import Fold, Rows

IntArray = NDArray[np.intp]

DEFAULT_FOLDS = 5
# A sample has at least this many rows of each class, or all of them if there are fewer.
MIN_ROWS_PER_CLASS = 20


class Samples:
    """Draws stratified samples of rows; an int for `cv` means shuffled, stratified folds."""

    def __init__(
        self,
        rows: Rows,
        groups: Any,
        cv: Any,
        *,
        pairwise: bool,
        seed: int,
        rng: np.random.Generator,
    ) -> None:
        self._rows, self._groups, self._pairwise = rows, groups, pairwise
        self._rng, self._seed = rng, seed
        if cv is None or isinstance(cv, Integral):
            _, counts = np.unique(rows.labels, return_counts=True)
            n_folds = max(2, min(int(cv or DEFAULT_FOLDS), int(counts.min())))
            cv = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        # Folds given as row numbers are valid for the full set of rows only.
        self._whole_only = not hasattr(cv, "split")
        self._splitter = check_cv(cv, rows.labels, classifier=True)

    @property
    def n_rows(self) -> int:
        """Number of all rows."""
        return self._rows.labels.size

    def allowed_size(self, n_rows: int) -> int:
        """Return the size that a sample can have; all rows if folds are given as row numbers."""
        return self.n_rows if self._whole_only else min(n_rows, self.n_rows)

    def draw(self, n_rows: int) -> tuple[Rows, list[Fold]]:
        """Return about n_rows rows, or all rows, with their folds."""
        rows, groups = self._rows, self._groups
        if n_rows < self.n_rows:
            index = stratified_sample(rows.labels, n_rows, self._rng)
            rows = replace(
                rows,
                x=rows.x[np.ix_(index, index)] if self._pairwise else rows.x[index],
                labels=rows.labels[index],
                weight=None if rows.weight is None else rows.weight[index],
            )
            groups = None if groups is None else np.asarray(groups)[index]
        folds = self._splitter.split(rows.x, rows.labels, groups)
        return rows, [Fold(*fold) for fold in folds]

    def fresh_folds(self, number: int) -> list[Fold]:
        """Return folds of all rows from another shuffle, a different one for each number from 1.

        The list is empty if the folds are not drawn at random.
        """
        if self._groups is not None or not getattr(self._splitter, "shuffle", False):
            return []
        other: Any = copy(self._splitter)
        other.random_state = (self._seed + number) % 2**32
        return [Fold(*fold) for fold in other.split(self._rows.x, self._rows.labels)]


def stratified_sample(labels: NDArray[Any], size: int, rng: np.random.Generator) -> IntArray:
    """Return about `size` sorted row numbers, in proportion to the classes.

    Rare classes get `MIN_ROWS_PER_CLASS` rows, so that they appear in every fold.
    """
    _, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    shares = np.maximum(np.round(size * counts / counts.sum()), MIN_ROWS_PER_CLASS)
    chosen = [
        rng.choice(np.flatnonzero(codes == k), int(min(share, count)), replace=False)
        for k, (share, count) in enumerate(zip(shares, counts, strict=True))
    ]
    return np.sort(np.concatenate(chosen))
