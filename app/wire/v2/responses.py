"""Encoding of inference responses."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from app.wire.v2.datatypes import BYTES, DTYPES, Array, datatype_of_labels

_LENGTH = struct.Struct("<I")


@dataclass(frozen=True)
class Labels:
    """Labels of rows: row i has the label `classes[codes[i]]`."""

    codes: NDArray[np.intp]
    classes: list[Any]


@dataclass(frozen=True)
class OutputTensor:
    """An output tensor and its form."""

    name: str
    values: NDArray[np.float64] | Labels
    binary: bool


@dataclass(frozen=True)
class Encoded:
    """A response body, and the length of its JSON part if binary data follow."""

    body: bytes
    header_length: int | None


def encode_response(
    model: str, version: int, identifier: str | None, tensors: Sequence[OutputTensor]
) -> Encoded:
    """Encode a response as JSON, followed by the data of binary tensors in their order."""
    content: dict[str, Any] = {"model_name": model, "model_version": str(version)}
    if identifier is not None:
        content["id"] = identifier
    content["outputs"] = outputs = []
    binary: list[bytes] = []
    for tensor in tensors:
        described = _described(tensor)
        outputs.append(described)
        if tensor.binary:
            data = _as_bytes(tensor.values)
            described["parameters"] = {"binary_data_size": len(data)}
            binary.append(data)
        else:
            described["data"] = _as_list(tensor.values)
    head = orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY)
    if not binary:
        return Encoded(head, None)
    return Encoded(b"".join([head, *binary]), len(head))


def _described(tensor: OutputTensor) -> dict[str, Any]:
    values = tensor.values
    if isinstance(values, Labels):
        datatype, shape = datatype_of_labels(values.classes), [len(values.codes)]
    else:
        datatype, shape = "FP64", list(values.shape)
    return {"name": tensor.name, "datatype": datatype, "shape": shape}


def _as_bytes(values: Array | Labels) -> bytes:
    if not isinstance(values, Labels):
        return values.astype("<f8", copy=False).tobytes()
    datatype = datatype_of_labels(values.classes)
    if datatype != BYTES:
        return np.array(values.classes, DTYPES[datatype])[values.codes].tobytes()
    words = [label.encode() for label in values.classes]
    elements = np.empty(len(words), object)
    elements[:] = [_LENGTH.pack(len(word)) + word for word in words]
    return b"".join(elements[values.codes].tolist())


def _as_list(values: Array | Labels) -> Any:
    if not isinstance(values, Labels):
        return np.ascontiguousarray(values).reshape(-1)
    datatype = datatype_of_labels(values.classes)
    if datatype != BYTES:
        return np.array(values.classes, DTYPES[datatype])[values.codes]
    elements = np.empty(len(values.classes), object)
    elements[:] = values.classes
    return elements[values.codes].tolist()
