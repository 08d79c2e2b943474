"""Parses CSV, Parquet and Arrow bodies into tables."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.errors import Flaw, MalformedBody, UnsupportedMediaType
from app.schemas.cells import MAX_FLAWS, MAX_TEXT, CellError, first, read_labels, read_weights
from app.schemas.table import Table, TextColumn
from app.schemas.validation import invalid
from app.services.limits import DataLimits
from app.wire.arrow import read_stream
from app.wire.numbers import read_doubles, read_npy

#: Texts that mean a missing value, in lower case.
MISSING_WORDS = frozenset({"", "na", "n/a", "nan", "null", "none", "?"})
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_INTEGER = re.compile(r"[+-]?\d+")

Labels = list[str] | list[int] | list[bool]


@dataclass(frozen=True)
class Columns:
    """Named columns of raw cells, before the target and weight columns are removed."""

    names: list[str]
    cells: list[Any]
    """Lists of cells, or arrays of numbers with NaN where a cell is missing."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.cells[0])

    def pop(self, name: str, field: str) -> list[Any]:
        """Remove a column and return its cells."""
        if name not in self.names:
            known = ", ".join(self.names[:20])
            detail = (
                f"There is no column {name[:64]!r}. The columns are {known} "
                "(at most 20 are listed)."
            )
            raise invalid([Flaw(detail, field)])
        position = self.names.index(name)
        self.names.pop(position)
        cells: list[Any] = self.cells.pop(position)
        return cells


class BodyKind(StrEnum):
    """Formats of rows other than JSON."""

    CSV = "csv"
    PARQUET = "parquet"
    ARROW = "arrow"
    NPY = "npy"
    DOUBLES = "doubles"


def read_rows(
    kind: BodyKind, body: bytes | bytearray, n_features: int, limits: DataLimits
) -> Table:
    """Parse rows to predict, for a model with `n_features` features."""
    if kind is BodyKind.DOUBLES:
        return read_doubles(body, n_features, limits.require_size)
    if kind is BodyKind.NPY:
        return read_npy(body, limits.require_size)
    read = {BodyKind.CSV: read_csv, BodyKind.PARQUET: read_parquet, BodyKind.ARROW: read_arrow}
    return features_of(read[kind](body, limits))


def read_csv(body: bytes | bytearray, limits: DataLimits) -> Columns:
    """Parse text in UTF-8 with a header line, separated by commas, semicolons or tabs."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MalformedBody(
            f"The CSV text is not UTF-8: byte {error.start} is invalid. Encode the file as UTF-8."
        ) from None
    header = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    try:
        names = [name.strip() for name in next(reader, [])]
        limits.require_size(1, len(names) - 1)
        for row in reader:
            if not row:
                continue  # a blank line
            if len(row) != len(names):
                detail = (
                    f"The row has {len(row)} cells, but the header has {len(names)}. "
                    f"See line {reader.line_num} of the CSV text."
                )
                raise invalid([Flaw(detail, "body", len(rows))])
            rows.append(row)
            if len(rows) > limits.rows:
                limits.require_size(len(rows), len(names) - 1)
    except csv.Error as error:
        raise MalformedBody(
            f"Line {reader.line_num} of the CSV text is invalid: {error}."
        ) from None
    _require_names(names)
    if not rows:
        raise invalid([Flaw("The CSV text has no rows below its header.", "body")])
    return Columns(names, [list(column) for column in zip(*rows, strict=True)])


def read_parquet(body: bytes | bytearray, limits: DataLimits) -> Columns:
    """Parse a Parquet file. Its size is checked in its footer before data are decompressed."""
    try:
        from pyarrow import ArrowException, BufferReader, parquet
    except ImportError:
        raise UnsupportedMediaType(
            "This server cannot read Parquet, because pyarrow is not installed. Send another "
            "format, or install it with `pip install 'frtsvm-service[arrow]'`."
        ) from None
    try:
        file = parquet.ParquetFile(BufferReader(body))
        schema = file.schema_arrow
        limits.require_size(file.metadata.num_rows, len(schema.names) - 1)
        names = list(schema.names)
        _require_names(names)
        table = file.read(use_threads=False)
        cells = [table.column(j).to_pylist() for j in range(len(names))]
    except (ArrowException, OSError, ValueError) as error:
        raise MalformedBody(
            f"The body is not a readable Parquet file: {str(error)[:200]}"
        ) from None
    if table.num_rows == 0:
        raise invalid([Flaw("The Parquet file has no rows.", "body")])
    return Columns(names, cells)


def read_arrow(body: bytes | bytearray, limits: DataLimits) -> Columns:
    """Parse an Arrow IPC stream."""
    names, cells = read_stream(body, limits.require_size)
    _require_names(names)
    if not len(cells[0]):
        raise invalid([Flaw("The Arrow stream has no rows.", "body")])
    return Columns(names, cells)


def _require_names(names: Sequence[str]) -> None:
    if len(names) < 1:
        raise MalformedBody("The table has no columns. It must have column names and rows.")
    for j, name in enumerate(names):
        if not name or len(name) > MAX_TEXT:
            detail = f"A column name must have 1 to {MAX_TEXT} characters; got {len(name)}."
            raise invalid([Flaw(detail, "header", column=j)])
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise invalid([Flaw(f"Two columns have the name {twice!r}. Rename one of them.", "header")])


def features_of(columns: Columns) -> Table:
    """Return the feature table. A column whose cells are all numbers or missing is numeric."""
    if not columns.names:
        detail = "The table has no feature columns. Send at least one."
        raise invalid([Flaw(detail, "body")])
    numbers = np.full((columns.n_rows, len(columns.names)), np.nan)
    texts: dict[int, TextColumn] = {}
    for j, (name, cells) in enumerate(zip(columns.names, columns.cells, strict=True)):
        column = _as_numbers(cells, name)
        if isinstance(column, TextColumn):
            texts[j] = column
        else:
            numbers[:, j] = column
    return Table(numbers, tuple(columns.names), texts)


def _as_numbers(cells: Any, name: str) -> NDArray[np.float64] | TextColumn:
    if isinstance(cells, np.ndarray):
        return _without_infinities(cells, name)
    values = [_value(cell) for cell in cells]
    kinds = {type(value) for value in values if value is not None}
    if not kinds <= {float, str}:
        row = first(values, lambda v: v is not None and type(v) not in (float, str))
        kind = type(values[row]).__name__
        detail = f"The cell has the type {kind}, which is not supported. Send numbers or text."
        raise invalid([Flaw(detail, "body", row, name)])
    if str in kinds:
        words = [
            None if value is None else str(cell) for value, cell in zip(values, cells, strict=True)
        ]
        long = [i for i, word in enumerate(words) if word is not None and len(word) > MAX_TEXT]
        if long:
            detail = f"The text is longer than {MAX_TEXT} characters."
            raise invalid([Flaw(detail, "body", long[0], name)])
        return TextColumn.encode(words)
    column = np.array([np.nan if value is None else value for value in values], np.float64)
    return _without_infinities(column, name)


def _without_infinities(column: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    infinite = np.flatnonzero(np.isinf(column))[:MAX_FLAWS]
    if infinite.size:
        detail = "The value is not a finite number."
        raise invalid([Flaw(detail, "body", int(i), name) for i in infinite])
    return column


def _value(cell: Any) -> Any:
    """Return a cell as a float, as text, or None if it is missing."""
    if cell is None:
        return None
    if isinstance(cell, str):
        word = cell.strip()
        if word.lower() in MISSING_WORDS:
            return None
        if word.lower().lstrip("+-") in ("inf", "infinity"):
            return float("inf")
        return float(word) if _NUMBER.fullmatch(word) else word
    if isinstance(cell, bool | int | float):
        value = float(cell)
        return None if value != value else value
    return cell


def labels_of(cells: list[Any], name: str) -> Labels:
    """Return the labels of the target column: all integers, all booleans, or text."""
    if all(isinstance(cell, str) for cell in cells):
        words = [cell.strip() for cell in cells]
        missing = [i for i, word in enumerate(words) if word.lower() in MISSING_WORDS]
        if missing:
            raise invalid([Flaw("The label is missing.", "target", missing[0], name)])
        if all(map(_INTEGER.fullmatch, words)):
            cells = [int(word) for word in words]
        elif {word.lower() for word in words} <= {"true", "false"}:
            cells = [word.lower() == "true" for word in words]
        else:
            cells = words
    elif all(isinstance(cell, float) and cell.is_integer() for cell in cells):
        cells = [int(cell) for cell in cells]
    try:
        return read_labels(cells, "target")
    except CellError as error:
        raise invalid(error.flaws) from None


def weights_of(cells: list[Any], name: str) -> NDArray[np.float64]:
    """Return the sample weights of the weight column."""
    try:
        return read_weights([_value(cell) for cell in cells], name)
    except CellError as error:
        raise invalid(error.flaws) from None
