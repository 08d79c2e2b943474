"""Predictions as a table with a column of labels, followed by columns of numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Columns = dict[str, Any]


#: Parts of a prediction, in the order of their columns -> name of a column of that part.
_SINGULAR = {
    "labels": "label",
    "scores": "score",
    "distances": "distance",
    "probabilities": "probability",
}


def columns_of(found: Mapping[str, Any], classes: Sequence[Any]) -> Columns:
    """Return the columns of a prediction, e.g. `label`, `score` and `distance_<class>`.

    With more than two classes, the scores are `score_<class>`. Parts that are missing or None are
    left out.
    """
    columns: Columns = {}
    for name, what in _SINGULAR.items():
        values = found.get(name)
        if isinstance(values, np.ndarray) and values.ndim > 1:
            columns |= _per_class(what, values, classes)
        elif values is not None:
            columns[what] = values
    return columns


def _per_class(what: str, values: NDArray[np.float64], classes: Sequence[Any]) -> Columns:
    return {f"{what}_{_text(label)}": values[:, code] for code, label in enumerate(classes)}


def _text(label: Any) -> str:
    """Return a label as in JSON, without quotes."""
    return str(label).lower() if isinstance(label, bool) else str(label)


def write_csv(columns: Columns) -> bytes:
    """Write a header line and a line per row, with numbers that read back exactly."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(columns)
    cells = [v.tolist() if isinstance(v, np.ndarray) else v for v in columns.values()]
    writer.writerows(zip(*cells, strict=True))
    return text.getvalue().encode("utf-8", "replace")
