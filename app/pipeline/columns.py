"""Summary of the columns of a training table, which is stored with the model."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.pipeline.preprocess import Preprocessor
from app.schemas.table import MISSING, Table

#: Number of rows that are sampled: the median of millions of rows would take longer than some fits.
MAX_ROWS = 20_000


def describe_columns(table: Table, preprocessor: Preprocessor) -> list[dict[str, Any]]:
    """Return name, kind, categories and typical values of each column."""
    names = table.names or (None,) * table.n_columns
    some = table
    if table.n_rows > MAX_ROWS:
        some = table.subset(np.linspace(0, table.n_rows - 1, MAX_ROWS).astype(np.int64))
    return [
        {"name": name, **_text(some, j, preprocessor.categories[j])}
        if j in preprocessor.categories
        else {"name": name, **_number(some, j)}
        for j, name in enumerate(names)
    ]


def _number(table: Table, column: int) -> dict[str, Any]:
    cells = table.numbers[:, column]
    known = cells[~np.isnan(cells)]
    if not known.size:
        return {"kind": "number"}
    return {
        "kind": "number",
        "typical": float(np.median(known)),
        "range": [float(known.min()), float(known.max())],
    }


def _text(table: Table, column: int, words: tuple[str, ...]) -> dict[str, Any]:
    text = table.texts[column]
    known = text.codes[text.codes != MISSING]
    counts = np.bincount(known, minlength=len(text.vocabulary))
    typical = text.vocabulary[int(counts.argmax())] if known.size else None
    return {"kind": "text", "categories": list(words), "typical": typical}
