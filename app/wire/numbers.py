"""Arrays of numbers as bodies: NumPy's .npy format, and bare doubles.

NaN is a missing cell, as it is in NumPy; infinities are refused.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from app.errors import Flaw, MalformedBody
from app.schemas.cells import MAX_FLAWS
from app.schemas.table import Table
from app.schemas.validation import invalid

#: Rows and features, before there is an array of them; raises if that is too much.
RequireSize = Callable[[int, int], None]

_DOUBLE = np.dtype("<f8")
_MAX_HEADER = 1024


def read_doubles(body: bytes | bytearray, n_features: int, require_size: RequireSize) -> Table:
    """Rows of little-endian doubles, one after the other."""
    row = n_features * _DOUBLE.itemsize
    if not body or len(body) % row:
        raise MalformedBody(
            f"the body has {len(body)} bytes; the model has {n_features} features, so a row of "
            f"doubles has {row}"
        )
    n_rows = len(body) // row
    require_size(n_rows, n_features)
    return _table(np.frombuffer(body, _DOUBLE).reshape(n_rows, n_features))


def read_npy(body: bytes | bytearray, require_size: RequireSize) -> Table:
    """A matrix as `numpy.save` writes it. Nothing is unpickled."""
    shape, fortran, dtype, start = _read_header(body)
    if dtype.kind not in "fiu" or dtype.itemsize > 8:
        raise invalid([Flaw(f"an array of type {dtype} is not one of numbers", "body")])
    if len(shape) != 2 or 0 in shape:
        detail = f"expected rows and columns, the array has shape {shape}"
        raise invalid([Flaw(detail, "body")])
    n_rows, n_features = shape
    require_size(n_rows, n_features)
    expected = n_rows * n_features * dtype.itemsize
    if len(body) - start != expected:
        detail = f"the array should have {expected} bytes, {len(body) - start} are here"
        raise MalformedBody(detail)
    cells = np.frombuffer(body, dtype, offset=start)
    return _table(cells.reshape(shape, order="F" if fortran else "C"))


def _read_header(body: bytes | bytearray) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """Shape, column order, type, and where the cells begin."""
    file = io.BytesIO(body[: _MAX_HEADER + 16])
    try:
        major, _ = npy.read_magic(file)
        read = {1: npy.read_array_header_1_0, 2: npy.read_array_header_2_0}[major]
        shape, fortran, dtype = read(file, max_header_size=_MAX_HEADER)
    except Exception as error:  # the header is a Python literal, and hostile ones raise anything
        raise MalformedBody(f"the body is not a readable .npy file: {str(error)[:200]}") from None
    if any(size < 0 for size in shape):
        raise MalformedBody("the body is not a readable .npy file: a negative size")
    return shape, fortran, dtype, file.tell()


def _table(numbers: NDArray[Any]) -> Table:
    rows = np.ascontiguousarray(numbers, dtype=np.float64)
    if not math.isfinite(np.vdot(rows, rows)):
        places = np.argwhere(np.isinf(rows))[:MAX_FLAWS]
        if len(places):
            raise invalid(
                Flaw("not a finite number", "X", int(row), int(column)) for row, column in places
            )
    return Table(rows)


def write_npy(array: NDArray[Any]) -> bytes:
    """As `numpy.save` writes it."""
    file = io.BytesIO()
    npy.write_array(file, array, allow_pickle=False)
    return file.getvalue()


def write_doubles(array: NDArray[np.float64]) -> bytes:
    """Little-endian doubles, row by row."""
    return np.ascontiguousarray(array, _DOUBLE).tobytes()
