"""Rows of features as a numerical matrix and encoded text columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Code of a missing text cell.
MISSING = -1


@dataclass(frozen=True)
class TextColumn:
    """A text column: `vocabulary[codes[i]]` is the cell of row i."""

    codes: NDArray[np.int32]
    vocabulary: tuple[str, ...]

    @classmethod
    def encode(cls, cells: Sequence[str | None]) -> TextColumn:
        """Encode cells as positions in their sorted distinct values."""
        vocabulary = tuple(sorted({cell for cell in cells if cell is not None}))
        index = {word: code for code, word in enumerate(vocabulary)}
        codes = [MISSING if cell is None else index[cell] for cell in cells]
        return cls(np.array(codes, dtype=np.int32), vocabulary)


@dataclass(frozen=True)
class Table:
    """A matrix of numbers, with NaN for missing or text cells, and text columns by position."""

    numbers: NDArray[np.float64]
    names: tuple[str, ...] | None = None
    texts: Mapping[int, TextColumn] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.numbers.shape[0])

    @property
    def n_columns(self) -> int:
        """Number of columns, text columns included."""
        return int(self.numbers.shape[1])

    def column_name(self, column: int) -> int | str:
        """Return the column's name, or its position if the table has no names."""
        return column if self.names is None else self.names[column]

    def subset(self, rows: NDArray[np.integer[Any]]) -> Table:
        """Return a table of some rows, with the same vocabularies."""
        texts = {
            column: TextColumn(text.codes[rows], text.vocabulary)
            for column, text in self.texts.items()
        }
        return Table(self.numbers[rows], self.names, texts)

    def reordered(self, names: Sequence[str]) -> Table:
        """Return the table with its columns in the order of `names`, which must all exist."""
        if self.names is None or tuple(names) == self.names:
            return self
        position = {name: column for column, name in enumerate(self.names)}
        order = [position[name] for name in names]
        texts = {new: self.texts[old] for new, old in enumerate(order) if old in self.texts}
        return Table(np.ascontiguousarray(self.numbers[:, order]), tuple(names), texts)
