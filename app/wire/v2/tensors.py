"""Input tensors from binary data or JSON values."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from app.errors import Flaw, InvalidRequest
from app.schemas.cells import first
from app.schemas.v2 import RequestInput
from app.schemas.validation import invalid
from app.wire.v2.datatypes import BOOL, BYTES, DTYPES, Array

_LENGTH = struct.Struct("<I")


@dataclass(frozen=True)
class Tensor:
    """A named array, or, for BYTES, a flat list of texts in row-major order."""

    name: str
    datatype: str
    shape: tuple[int, ...]
    values: Array | list[str]


def flawed(name: str, detail: str, row: int | None = None) -> InvalidRequest:
    """Return an error about one input tensor."""
    return invalid([Flaw(detail, f"inputs.{name[:64]}", row)])


def from_binary(declared: RequestInput, data: memoryview) -> Tensor:
    """Return a tensor from binary data. Numbers and booleans are not copied."""
    shape = tuple(declared.shape)
    size = math.prod(shape)
    name = declared.name
    if declared.datatype == BYTES:
        return Tensor(name, BYTES, shape, _texts(name, data, size))
    dtype = DTYPES[declared.datatype]
    if size * dtype.itemsize != len(data):
        raise flawed(
            name,
            f"The shape {list(shape)} of {declared.datatype} needs {size * dtype.itemsize} bytes, "
            f"but binary_data_size is {len(data)}.",
        )
    if declared.datatype == BOOL and np.frombuffer(data, np.uint8).max() > 1:
        raise flawed(name, "Each byte of a BOOL tensor must be 0 or 1.")
    return Tensor(name, declared.datatype, shape, np.frombuffer(data, dtype).reshape(shape))


def _texts(name: str, data: memoryview, size: int) -> list[str]:
    """Read elements that consist of a length in 4 bytes, and that many bytes of UTF-8."""
    if size * _LENGTH.size > len(data):
        raise flawed(name, f"{size} elements do not fit into {len(data)} bytes.")
    texts = []
    at = 0
    for index in range(size):
        start = at + _LENGTH.size
        if start > len(data):
            raise flawed(name, f"The data end before element {index}.")
        at = start + _LENGTH.unpack_from(data, start - _LENGTH.size)[0]
        if at > len(data):
            raise flawed(name, f"Element {index} is longer than the remaining data.")
        try:
            texts.append(str(data[start:at], "utf-8"))
        except UnicodeDecodeError:
            raise flawed(name, f"Element {index} is not valid UTF-8.") from None
    if at != len(data):
        raise flawed(name, f"{len(data) - at} bytes are left after the last element.")
    return texts


def from_json(declared: RequestInput) -> Tensor:
    """Return a tensor from a JSON list, flat or nested like its shape."""
    name, datatype, shape = declared.name, declared.datatype, tuple(declared.shape)
    if not isinstance(declared.data, list):
        raise flawed(name, "The tensor needs a list `data` or the parameter binary_data_size.")
    cells = _flat(name, declared.data, shape)
    width = math.prod(shape[1:])
    _require_kinds(name, datatype, cells, width)
    if datatype == BYTES:
        return Tensor(name, BYTES, shape, cells)
    if None in cells:
        cells = [math.nan if cell is None else cell for cell in cells]
    dtype = DTYPES[datatype]
    try:
        wide = np.array(cells, np.float64 if dtype.kind == "f" else dtype)
    except OverflowError:
        raise flawed(name, f"A number does not fit into {datatype}.") from None
    return Tensor(name, datatype, shape, narrowed(name, datatype, wide).reshape(shape))


def narrowed(name: str, datatype: str, values: Array) -> Array:
    """Convert doubles or 64-bit integers to the declared datatype; raise if they do not fit."""
    dtype = DTYPES[datatype]
    if values.dtype == dtype:
        return values
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if values.min() < limits.min or values.max() > limits.max:
            raise flawed(name, f"A number does not fit into {datatype}.")
        return values.astype(dtype)
    with np.errstate(over="ignore"):
        narrow = values.astype(dtype)
    if np.isinf(narrow).any() and np.isfinite(values[np.isinf(narrow)]).any():
        raise flawed(name, f"A number does not fit into {datatype}.")
    return narrow


def _flat(name: str, data: list[Any], shape: tuple[int, ...]) -> list[Any]:
    size = math.prod(shape)
    if list not in set(map(type, data)):
        if len(data) != size:
            raise flawed(
                name, f"The shape {list(shape)} has {size} elements, but `data` has {len(data)}."
            )
        return data
    level: list[Any] = [data]
    for depth, length in enumerate(shape):
        for index, item in enumerate(level):
            if type(item) is not list or len(item) != length:
                row = index if depth == 1 else None
                raise flawed(
                    name, f"The nested lists in `data` do not have the shape {list(shape)}.", row
                )
        level = list(chain.from_iterable(level))
    return level


#: BYTES or the `kind` of a NumPy dtype -> Python types of the elements, and their name in messages.
_KINDS: dict[str, tuple[frozenset[type], str]] = {
    BYTES: (frozenset({str}), "a string"),
    "f": (frozenset({int, float, type(None)}), "a number"),
    "i": (frozenset({int}), "an integer"),
    "u": (frozenset({int}), "an integer"),
    "b": (frozenset({bool}), "true or false"),
}


def _require_kinds(name: str, datatype: str, cells: Sequence[Any], width: int) -> None:
    """Refuse elements of other types, such as numbers in quotes or booleans for numbers."""
    allowed, expected = _KINDS[BYTES if datatype == BYTES else DTYPES[datatype].kind]
    if not set(map(type, cells)) <= allowed:
        index = first(cells, lambda cell: type(cell) not in allowed)
        raise flawed(name, f"Expected {expected} for {datatype}.", index // width)
