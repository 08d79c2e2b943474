"""Preprocessing of tables: imputation, encoding and scaling.

All parameters are learned from the training rows only and stored as plain arrays. During a
cross-validation, these are the training rows of the fold.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.schemas.table import Table, TextColumn
from app.schemas.training import TrainingOptions

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Preprocessor:
    """Imputes and encodes the cells, then computes (x - offset) * factor for each column x."""

    numeric: NDArray[np.int64]
    """Indices of the numeric columns of the table."""
    categories: dict[int, tuple[str, ...]]
    """Index of a text column -> its categories, each of which becomes one input."""
    medians: Matrix | None
    """One median per numeric column if missing cells are imputed, else None."""
    offset: Matrix
    factor: Matrix

    @property
    def n_inputs(self) -> int:
        """Number of inputs of the model."""
        return len(self.offset)

    @property
    def largest(self) -> float:
        """Largest absolute value of offset and factor."""
        return float(max(np.abs(self.offset).max(initial=0), np.abs(self.factor).max(initial=0)))

    @cached_property
    def _is_identity(self) -> bool:
        return not self.offset.any() and bool((self.factor == 1.0).all())

    @classmethod
    def fit(cls, table: Table, options: TrainingOptions) -> Preprocessor:
        """Learn medians, categories and scaling from the rows of a table."""
        text_columns = sorted(table.texts)
        numeric = np.array([j for j in range(table.n_columns) if j not in table.texts], np.int64)
        medians = None
        if options.impute == "median":
            medians = _medians(table.numbers[:, numeric])
        categories = {column: _words_in_use(table.texts[column]) for column in text_columns}
        n_words = sum(map(len, categories.values()))
        blank = cls(numeric, categories, medians, np.zeros(0), np.zeros(0))
        offset, factor = _scaling(blank._filled(table), options.scale)
        # Encoded text is 0 or 1 and is not scaled.
        return cls(
            numeric,
            categories,
            medians,
            np.concatenate([offset, np.zeros(n_words)]),
            np.concatenate([factor, np.ones(n_words)]),
        )

    def transform(self, table: Table) -> Matrix:
        """Return the inputs of the model for the rows of a table, without changing the table."""
        if not self.categories:
            return self.scale(self._filled(table))
        blocks = [self._filled(table)]
        blocks += [_one_hot(table.texts.get(j), table, w) for j, w in self.categories.items()]
        return self.scale(np.hstack(blocks))

    def scale(self, inputs: Matrix) -> Matrix:
        """Return (inputs - offset) * factor, or `inputs` itself if it is the same."""
        if self._is_identity:
            return inputs
        scaled: Matrix = inputs - self.offset
        scaled *= self.factor
        return scaled

    def _filled(self, table: Table) -> Matrix:
        numbers = table.numbers
        if len(self.numeric) != numbers.shape[1]:
            numbers = numbers[:, self.numeric]
        if self.medians is None:
            return numbers
        return np.where(np.isnan(numbers), self.medians, numbers)

    def input_names(self, names: list[str]) -> list[str]:
        """Return the names of the inputs, given the names of the columns."""
        plain = [names[j] for j in self.numeric]
        encoded = [f"{names[j]}={word}" for j, words in self.categories.items() for word in words]
        return plain + encoded

    def to_state(self) -> dict[str, Any]:
        """Return plain data to store with the model."""
        return {
            "numeric": self.numeric,
            "categories": [
                {"column": column, "words": list(words)}
                for column, words in self.categories.items()
            ],
            "medians": self.medians,
            "offset": self.offset,
            "factor": self.factor,
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Preprocessor:
        """Create a preprocessor from the result of `to_state`."""
        categories = {item["column"]: tuple(item["words"]) for item in state["categories"]}
        return cls(state["numeric"], categories, state["medians"], state["offset"], state["factor"])


def _medians(numbers: Matrix) -> Matrix:
    """Return the medians of the columns, 0 for a column without values in these rows."""
    empty = np.isnan(numbers).all(axis=0)
    medians = np.zeros(numbers.shape[1])
    if not empty.all():
        medians[~empty] = np.nanmedian(numbers[:, ~empty], axis=0)
    return medians


def _words_in_use(text: TextColumn) -> tuple[str, ...]:
    used = np.unique(text.codes[text.codes >= 0])
    return tuple(text.vocabulary[code] for code in used)


def _scaling(numbers: Matrix, method: str) -> tuple[Matrix, Matrix]:
    """Return offset and factor of each column; a constant column gets the factor 1."""
    if method == "none":
        return np.zeros(numbers.shape[1]), np.ones(numbers.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        if method == "minmax":
            offset = numbers.min(axis=0)
            spread = numbers.max(axis=0) - offset
        else:
            offset = numbers.mean(axis=0)
            spread = numbers.std(axis=0)
    return offset, 1.0 / np.where(spread > 0, spread, 1.0)


def _one_hot(text: TextColumn | None, table: Table, words: tuple[str, ...]) -> Matrix:
    """Return one 0/1 column per category; unknown categories and missing cells give zeros."""
    out = np.zeros((table.n_rows, len(words)))
    if text is not None:
        index = {word: j for j, word in enumerate(words)}
        target = np.array([index.get(word, -1) for word in text.vocabulary] + [-1], np.int64)
        columns = target[text.codes]  # code -1 (missing) selects the last entry
        rows = np.flatnonzero(columns >= 0)
        out[rows, columns[rows]] = 1.0
    return out
