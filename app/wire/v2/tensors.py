"""Input tensors out of binary data and out of JSON values."""

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
    """A named array, or for BYTES a flat list of texts in row-major order."""

    name: str
    datatype: str
    shape: tuple[int, ...]
    values: Array | list[str]


def flawed(name: str, detail: str, row: int | None = None) -> InvalidRequest:
    """The error about one tensor."""
    return invalid([Flaw(detail, f"inputs.{name[:64]}", row)])


def from_binary(declared: RequestInput, data: memoryview) -> Tensor:
    """A tensor from its bytes, which are not copied."""
    shape = tuple(declared.shape)
    size = math.prod(shape)
    name = declared.name
    if declared.datatype == BYTES:
        return Tensor(name, BYTES, shape, _texts(name, data, size))
    dtype = DTYPES[declared.datatype]
    if size * dtype.itemsize != len(data):
        raise flawed(
            name,
            f"shape {list(shape)} of {declared.datatype} needs {size * dtype.itemsize} bytes, "
            f"binary_data_size is {len(data)}",
        )
    if declared.datatype == BOOL and np.frombuffer(data, np.uint8).max() > 1:
        raise flawed(name, "a byte of BOOL is 0 or 1")
    return Tensor(name, declared.datatype, shape, np.frombuffer(data, dtype).reshape(shape))


def _texts(name: str, data: memoryview, size: int) -> list[str]:
    """Elements of 4 bytes of length, then that many bytes of UTF-8."""
    if size * _LENGTH.size > len(data):
        raise flawed(name, f"{size} elements do not fit into {len(data)} bytes")
    texts = []
    at = 0
    for index in range(size):
        start = at + _LENGTH.size
        if start > len(data):
            raise flawed(name, f"the data end before element {index}")
        at = start + _LENGTH.unpack_from(data, start - _LENGTH.size)[0]
        if at > len(data):
            raise flawed(name, f"element {index} is longer than the data")
        try:
            texts.append(str(data[start:at], "utf-8"))
        except UnicodeDecodeError:
            raise flawed(name, f"element {index} is not UTF-8") from None
    if at != len(data):
        raise flawed(name, f"{len(data) - at} bytes are left after the last element")
    return texts


def from_json(declared: RequestInput) -> Tensor:
    """A tensor from a JSON list, flat or nested as its shape says."""
    name, datatype, shape = declared.name, declared.datatype, tuple(declared.shape)
    if not isinstance(declared.data, list):
        raise flawed(name, "neither a list of `data` nor parameters.binary_data_size")
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
        raise flawed(name, f"a number does not fit into {datatype}") from None
    return Tensor(name, datatype, shape, narrowed(name, datatype, wide).reshape(shape))


def narrowed(name: str, datatype: str, values: Array) -> Array:
    """Doubles or 64-bit integers in the datatype that was declared, if they fit into it."""
    dtype = DTYPES[datatype]
    if values.dtype == dtype:
        return values
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if values.min() < limits.min or values.max() > limits.max:
            raise flawed(name, f"a number does not fit into {datatype}")
        return values.astype(dtype)
    with np.errstate(over="ignore"):
        narrow = values.astype(dtype)
    if np.isinf(narrow).any() and np.isfinite(values[np.isinf(narrow)]).any():
        raise flawed(name, f"a number does not fit into {datatype}")
    return narrow


def _flat(name: str, data: list[Any], shape: tuple[int, ...]) -> list[Any]:
    size = math.prod(shape)
    if list not in set(map(type, data)):
        if len(data) != size:
            raise flawed(name, f"shape {list(shape)} has {size} elements, data has {len(data)}")
        return data
    level: list[Any] = [data]
    for depth, length in enumerate(shape):
        for index, item in enumerate(level):
            if type(item) is not list or len(item) != length:
                row = index if depth == 1 else None
                raise flawed(name, f"nested data do not have the shape {list(shape)}", row)
        level = list(chain.from_iterable(level))
    return level


#: Kind of datatype -> types of its elements in JSON, and how to call one.
_KINDS: dict[str, tuple[frozenset[type], str]] = {
    BYTES: (frozenset({str}), "a string"),
    "f": (frozenset({int, float, type(None)}), "a number"),
    "i": (frozenset({int}), "an integer"),
    "u": (frozenset({int}), "an integer"),
    "b": (frozenset({bool}), "true or false"),
}


def _require_kinds(name: str, datatype: str, cells: Sequence[Any], width: int) -> None:
    """Nothing is converted silently: no numbers in quotes, no booleans as numbers."""
    allowed, expected = _KINDS[BYTES if datatype == BYTES else DTYPES[datatype].kind]
    if not set(map(type, cells)) <= allowed:
        index = first(cells, lambda cell: type(cell) not in allowed)
        raise flawed(name, f"expected {expected} for {datatype}", index // width)
