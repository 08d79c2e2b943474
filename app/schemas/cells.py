"""Conversion of parsed JSON to a `Table`, with errors that name row and column.

A list of equally long lists of numbers is the common case and is checked by a few calls that run in
C. Only rows that fail these checks, or contain text or nulls, are checked cell by cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.errors import Flaw
from app.schemas.table import Table, TextColumn

MAX_FLAWS = 10
MAX_TEXT = 256
_NUMBER = {int, float}
NOT_FINITE = "The value is not a finite number."


class CellError(ValueError):
    """Invalid rows, labels or weights, with at most `MAX_FLAWS` flaws."""

    def __init__(self, *flaws: Flaw) -> None:
        super().__init__(flaws[0].detail)
        self.flaws = flaws[:MAX_FLAWS]


def first(items: Sequence[Any], wrong: Callable[[Any], bool]) -> int:
    """Return the position of the first wrong item. One must exist."""
    return next((i for i, item in enumerate(items) if wrong(item)), 0)


def read_rows(value: Any, field: str = "X") -> Table:
    """Convert a list of lists or a list of objects to a table; return a table unchanged."""
    if isinstance(value, Table):
        return value
    if not isinstance(value, list) or not value:
        raise CellError(Flaw("Expected a list of at least one row.", field))
    kinds = set(map(type, value))
    if kinds == {list}:
        return _read_lists(value, field, None)
    if kinds == {dict}:
        return _read_objects(value, field)
    expected = type(value[0]) if type(value[0]) in (list, dict) else list
    row = first(value, lambda item: type(item) is not expected)
    raise CellError(Flaw("All rows must be lists, or all rows must be objects.", field, row))


def _read_objects(rows: list[dict[str, Any]], field: str) -> Table:
    names = tuple(rows[0])
    long = [name for name in names if len(name) > MAX_TEXT]
    if long:
        raise CellError(Flaw(f"A feature name is longer than {MAX_TEXT} characters.", field, 0))
    try:
        lists = list(map(itemgetter(*names), rows)) if len(names) > 1 else _column(rows, names)
    except KeyError:
        lists = []
    if len(lists) != len(rows) or set(map(len, rows)) != {len(names)}:
        raise CellError(_other_features(rows, set(names), field))
    return _read_lists(lists, field, names)


def _column(rows: list[dict[str, Any]], names: tuple[str, ...]) -> list[tuple[Any, ...]]:
    """Return rows of at most one feature as tuples, which `itemgetter` would not do."""
    return [tuple(row[name] for name in names) for row in rows]


def _other_features(rows: list[dict[str, Any]], known: set[str], field: str) -> Flaw:
    """Return the flaw of the first row whose features differ from those of row 0."""
    i = first(rows, lambda row: row.keys() != known)
    missing, unknown = known - rows[i].keys(), rows[i].keys() - known
    name = min(missing or unknown)[:MAX_TEXT]
    detail = (
        f"The feature {name!r} is missing, but row 0 has it."
        if missing
        else f"The feature {name!r} is unknown: row 0 does not have it."
    )
    return Flaw(detail, field, i, name)


def _read_lists(rows: Sequence[Sequence[Any]], field: str, names: tuple[str, ...] | None) -> Table:
    width = len(rows[0])
    if width == 0:
        raise CellError(Flaw("A row must have at least one feature.", field, 0))
    if set(map(len, rows)) != {width}:
        row = first(rows, lambda item: len(item) != width)
        detail = f"The row has {len(rows[row])} features, but row 0 has {width}."
        raise CellError(Flaw(detail, field, row))
    if set(map(type, chain.from_iterable(rows))) <= _NUMBER:
        try:
            numbers = np.array(rows, dtype=np.float64)
        except OverflowError:
            return _read_mixed(rows, field, names)
        _require_finite(numbers, field, names)
        return Table(numbers, names)
    return _read_mixed(rows, field, names)


def _require_finite(
    numbers: NDArray[np.float64], field: str, names: tuple[str, ...] | None
) -> None:
    if math.isfinite(np.vdot(numbers, numbers)):  # checks the usual case in one call
        return
    finite = np.isfinite(numbers)
    if finite.all():
        return
    places = np.argwhere(~finite)[:MAX_FLAWS]
    raise CellError(
        *(
            Flaw(NOT_FINITE, field, int(row), int(col) if names is None else names[col])
            for row, col in places
        )
    )


def _read_mixed(rows: Sequence[Sequence[Any]], field: str, names: tuple[str, ...] | None) -> Table:
    """Convert rows with nulls or text, cell by cell; raise if a cell is not valid."""
    numbers = np.full((len(rows), len(rows[0])), np.nan)
    texts: dict[int, TextColumn] = {}
    flaws: list[Flaw] = []
    for j, cells in enumerate(zip(*rows, strict=True)):
        column: int | str = j if names is None else names[j]
        for i, detail in _flaws_of_column(cells):
            flaws.append(Flaw(detail, field, i, column))
            if len(flaws) == MAX_FLAWS:
                raise CellError(*flaws)
        if flaws:
            continue
        if any(type(cell) is str for cell in cells):
            texts[j] = TextColumn.encode(cells)
        else:
            numbers[:, j] = [np.nan if cell is None else cell for cell in cells]
    if flaws:
        raise CellError(*sorted(flaws, key=lambda flaw: flaw.row or 0))
    return Table(numbers, names, texts)


def _flaws_of_column(cells: tuple[Any, ...]) -> list[tuple[int, str]]:
    is_text = type(next((cell for cell in cells if cell is not None), None)) is str
    flaws: list[tuple[int, str]] = []
    for i, cell in enumerate(cells):
        detail = _flaw_of_cell(cell, is_text)
        if detail:
            flaws.append((i, detail))
            if len(flaws) == MAX_FLAWS:
                break
    return flaws


def _flaw_of_cell(cell: Any, is_text: bool) -> str | None:
    if cell is None:
        return None
    kind = type(cell)
    if kind is str:
        if not is_text:
            return "The value is text, but the column starts with a number."
        return f"The text is longer than {MAX_TEXT} characters." if len(cell) > MAX_TEXT else None
    if kind not in _NUMBER:
        name = {bool: "a boolean", list: "a list", dict: "an object"}.get(kind, kind.__name__)
        return f"Expected a number, text or null; got {name}."
    if is_text:
        return "The value is a number, but the column starts with text."
    try:
        return None if np.isfinite(float(cell)) else NOT_FINITE
    except OverflowError:
        return NOT_FINITE


def read_labels(value: Any, field: str = "y") -> list[str] | list[int] | list[bool]:
    """Check a list of labels: all strings, all integers or all booleans."""
    if not isinstance(value, list) or not value:
        raise CellError(Flaw("Expected a list of at least one label.", field))
    kinds = set(map(type, value))
    if len(kinds) == 1 and kinds <= {str, int, bool}:
        if kinds == {str} and max(map(len, value)) > MAX_TEXT:
            row = first(value, lambda item: len(item) > MAX_TEXT)
            raise CellError(Flaw(f"The label is longer than {MAX_TEXT} characters.", field, row))
        if kinds == {int} and not -(2**63) <= min(value) <= max(value) < 2**63:
            row = first(value, lambda item: not -(2**63) <= item < 2**63)
            raise CellError(Flaw("The label must fit into a 64-bit integer.", field, row))
        return value
    for i, item in enumerate(value):
        if type(item) not in (str, int, bool):
            detail = "A label must be a string, an integer or a boolean."
            raise CellError(Flaw(detail, field, i))
    row = first(value, lambda item: type(item) is not type(value[0]))
    raise CellError(Flaw("The type of the label differs from that of the first label.", field, row))


def read_weights(value: Any, field: str = "sample_weight") -> NDArray[np.float64]:
    """Convert a list of finite, non-negative numbers to an array."""
    if not isinstance(value, list) or not value:
        raise CellError(Flaw("Expected a list of at least one number.", field))
    numbers = read_rows([[item] for item in value], field)
    if numbers.texts or np.isnan(numbers.numbers).any():
        bad = first(value, lambda item: type(item) not in _NUMBER)
        raise CellError(Flaw("A weight must be a number.", field, bad))
    weights = numbers.numbers[:, 0]
    if (weights < 0).any():
        row = int(np.argmax(weights < 0))
        raise CellError(Flaw("A weight must not be negative.", field, row))
    return weights
