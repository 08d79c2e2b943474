"""Arrays of numbers as bodies: NumPy's .npy format, and doubles without a header.

NaN is a missing cell. Infinite values are refused.
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
from app.schemas.cells import MAX_FLAWS, NOT_FINITE
from app.schemas.table import Table
from app.schemas.validation import invalid

#: Function of the number of rows and features that raises if the array would be too large.
RequireSize = Callable[[int, int], None]

_DOUBLE = np.dtype("<f8")
_MAX_HEADER = 1024


def read_doubles(body: bytes | bytearray, n_features: int, require_size: RequireSize) -> Table:
    """Read rows of little-endian doubles without a header."""
    row = n_features * _DOUBLE.itemsize
    if not body or len(body) % row:
        raise MalformedBody(
            f"The body has {len(body)} bytes, which is not a positive multiple of {row} bytes, the "
            f"size of a row of {n_features} features as doubles."
        )
    n_rows = len(body) // row
    require_size(n_rows, n_features)
    return _table(np.frombuffer(body, _DOUBLE).reshape(n_rows, n_features))


def read_npy(body: bytes | bytearray, require_size: RequireSize) -> Table:
    """Read a matrix in the format of `numpy.save`, without unpickling anything."""
    shape, fortran, dtype, start = _read_header(body)
    if dtype.kind not in "fiu" or dtype.itemsize > 8:
        detail = f"The array must hold integers or floats of up to 8 bytes; its dtype is {dtype}."
        raise invalid([Flaw(detail, "body")])
    if len(shape) != 2 or 0 in shape:
        detail = f"The array must have two dimensions, rows and columns; its shape is {shape}."
        raise invalid([Flaw(detail, "body")])
    n_rows, n_features = shape
    require_size(n_rows, n_features)
    expected = n_rows * n_features * dtype.itemsize
    if len(body) - start != expected:
        detail = (
            f"The array should have {expected} bytes, but {len(body) - start} follow the header."
        )
        raise MalformedBody(detail)
    cells = np.frombuffer(body, dtype, offset=start)
    return _table(cells.reshape(shape, order="F" if fortran else "C"))


def _read_header(body: bytes | bytearray) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """Return shape, column order, type and the position of the cells in the body."""
    file = io.BytesIO(body[: _MAX_HEADER + 16])
    try:
        major, _ = npy.read_magic(file)
        read = {1: npy.read_array_header_1_0, 2: npy.read_array_header_2_0}[major]
        shape, fortran, dtype = read(file, max_header_size=_MAX_HEADER)
    except (
        Exception
    ) as error:  # the header is a Python literal; malicious ones can raise any exception
        raise MalformedBody(f"The body is not a readable .npy file: {str(error)[:200]}.") from None
    if any(size < 0 for size in shape):
        raise MalformedBody("The body is not a readable .npy file: the shape has a negative size.")
    return shape, fortran, dtype, file.tell()


def _table(numbers: NDArray[Any]) -> Table:
    rows = np.ascontiguousarray(numbers, dtype=np.float64)
    if not math.isfinite(np.vdot(rows, rows)):
        places = np.argwhere(np.isinf(rows))[:MAX_FLAWS]
        if len(places):
            raise invalid(Flaw(NOT_FINITE, "X", int(row), int(column)) for row, column in places)
    return Table(rows)


def write_npy(array: NDArray[Any]) -> bytes:
    """Write an array in the format of `numpy.save`."""
    file = io.BytesIO()
    npy.write_array(file, array, allow_pickle=False)
    return file.getvalue()


def write_doubles(array: NDArray[np.float64]) -> bytes:
    """Write an array as little-endian doubles, row by row, without a header."""
    return np.ascontiguousarray(array, _DOUBLE).tobytes()
