"""Converts input tensors to a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.errors import FeatureMismatch, Flaw
from app.schemas.cells import MAX_FLAWS, MAX_TEXT
from app.schemas.table import Table, TextColumn
from app.schemas.validation import invalid
from app.services.limits import DataLimits
from app.services.signatures import MATRIX
from app.wire.v2.tensors import Tensor, flawed


def table_of(
    tensors: Sequence[Tensor], names: tuple[str, ...] | None, n_columns: int, limits: DataLimits
) -> Table:
    """Return the table of one tensor `X` of shape [rows, features], or of one tensor per feature.

    Tensors of features have the shape [rows] or [rows, 1].
    """
    given = [tensor.name for tensor in tensors]
    twice = [name for name, count in Counter(given).items() if count > 1]
    if twice:
        raise flawed(twice[0], "The request has two inputs of this name.")
    # A model may have a single feature named X; then the tensor is that feature.
    if given == [MATRIX] and not (names == (MATRIX,) and n_columns == 1):
        return _matrix(tensors[0], n_columns, limits)
    if names is None:
        unknown = next((name for name in given if name != MATRIX), MATRIX)
        detail = f"The model has one input, {MATRIX!r}, of shape [rows, {n_columns}]."
        raise FeatureMismatch(
            f"The input {unknown[:64]!r} is unknown. {detail}",
            flaws=[Flaw(detail, f"inputs.{unknown[:64]}")],
        )
    return _columns(tensors, limits)


def _matrix(tensor: Tensor, n_columns: int, limits: DataLimits) -> Table:
    if len(tensor.shape) != 2:
        raise flawed(
            tensor.name, f"The shape must be [rows, {n_columns}]; got {list(tensor.shape)}."
        )
    n_rows, width = tensor.shape
    limits.require_size(n_rows, width)
    if isinstance(tensor.values, list):
        texts = {j: _text_column(tensor, tensor.values[j::width]) for j in range(width)}
        return Table(np.full(tensor.shape, np.nan), None, texts)
    # Binary data start at any offset behind the JSON part, but NumPy computes on aligned data.
    numbers = np.require(tensor.values, np.float64, "A")
    _require_not_infinite(tensor, numbers)
    return Table(numbers)


def _columns(tensors: Sequence[Tensor], limits: DataLimits) -> Table:
    n_rows = tensors[0].shape[0]
    for tensor in tensors:
        if tensor.shape not in ((n_rows,), (n_rows, 1)):
            detail = (
                f"The shape must be [{n_rows}], like that of the first input; "
                f"got {list(tensor.shape)}."
            )
            if len(tensor.shape) > 2 or tensor.shape[1:] not in ((), (1,)):
                detail = f"The shape must be [rows] or [rows, 1]; got {list(tensor.shape)}."
            raise flawed(tensor.name, detail)
    limits.require_size(n_rows, len(tensors))
    numbers = np.empty((n_rows, len(tensors)))
    texts: dict[int, TextColumn] = {}
    for j, tensor in enumerate(tensors):
        if isinstance(tensor.values, list):
            texts[j] = _text_column(tensor, tensor.values)
            numbers[:, j] = np.nan
        else:
            numbers[:, j] = tensor.values.reshape(-1)
            _require_not_infinite(tensor, numbers[:, j])
    return Table(numbers, tuple(tensor.name for tensor in tensors), texts)


def _text_column(tensor: Tensor, cells: list[str]) -> TextColumn:
    if max(map(len, cells)) > MAX_TEXT:
        row = next(i for i, cell in enumerate(cells) if len(cell) > MAX_TEXT)
        raise flawed(tensor.name, f"The text is longer than {MAX_TEXT} characters.", row)
    return TextColumn.encode(cells)


def _require_not_infinite(tensor: Tensor, numbers: NDArray[np.float64]) -> None:
    """Reject infinities. NaN is a missing cell, which the model may fill in."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.vdot(numbers, numbers)):  # one pass; large values may overflow it
            return
    places = np.argwhere(np.isinf(numbers))[:MAX_FLAWS]
    if len(places):
        field = f"inputs.{tensor.name[:64]}"
        detail = "The value is not a finite number."
        raise invalid([Flaw(detail, field, int(place[0])) for place in places])
