"""Datatypes of the protocol and their NumPy types. Binary data are little-endian."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

BYTES = "BYTES"
BOOL = "BOOL"

#: Datatypes whose elements have a fixed size.
DTYPES: dict[str, np.dtype[Any]] = {
    BOOL: np.dtype("?"),
    "INT8": np.dtype("<i1"),
    "INT16": np.dtype("<i2"),
    "INT32": np.dtype("<i4"),
    "INT64": np.dtype("<i8"),
    "UINT8": np.dtype("<u1"),
    "UINT16": np.dtype("<u2"),
    "UINT32": np.dtype("<u4"),
    "UINT64": np.dtype("<u8"),
    "FP16": np.dtype("<f2"),
    "FP32": np.dtype("<f4"),
    "FP64": np.dtype("<f8"),
}


def datatype_of_labels(classes: list[Any]) -> str:
    """Return the datatype of labels: BYTES for strings, INT64 for integers, BOOL for booleans."""
    kind = type(classes[0])
    return BOOL if kind is bool else "INT64" if kind is int else BYTES
