"""Parsing of inference requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.errors import Flaw, MalformedBody, ServiceError
from app.schemas.v2 import InferenceRequest, RequestInput
from app.schemas.validation import invalid, parse_json, validate
from app.wire.v2 import numbers
from app.wire.v2.datatypes import BYTES
from app.wire.v2.tensors import Tensor, flawed, from_binary, from_json, narrowed

#: Up to this many bytes, the regular parser is as fast.
SMALL_BYTES = 2048
#: Up to this many bytes, any parser is fast enough for the event loop.
QUICK_BYTES = 64 * 1024
BINARY_SIZE = "binary_data_size"
#: Parameters that are refused, because they would change the response. Other parameters that this
#: service does not know are ignored, as the protocol allows.
_UNSUPPORTED = ("shared_memory_region", "classification")


@dataclass(frozen=True)
class Wanted:
    """A requested output."""

    name: str
    binary: bool


@dataclass(frozen=True)
class ParsedRequest:
    """A parsed inference request."""

    id: str | None
    tensors: list[Tensor]
    outputs: list[Wanted] | None
    """None: all outputs of the model."""
    binary: bool
    """Whether outputs are sent in binary form by default."""


def parse_request(
    body: bytes | bytearray, header_length: int | None, *, fast: bool = True
) -> ParsedRequest:
    """Parse a body: JSON, followed by binary data after `header_length` bytes if that is given.

    With `fast=False`, JSON is always read by the regular parser; the result is the same.
    """
    if header_length is not None:
        if header_length > len(body):
            detail = (
                f"Inference-Header-Content-Length is {header_length}, but the body has only "
                f"{len(body)} bytes."
            )
            raise MalformedBody(detail)
        document = validate(InferenceRequest, parse_json(body[:header_length]))
        return _request(document, _tensors(document, memoryview(body)[header_length:]))
    if fast and len(body) > SMALL_BYTES:
        found = _parse_fast(bytes(body))
        if found is not None:
            return found
    document = validate(InferenceRequest, parse_json(body))
    return _request(document, _tensors(document, memoryview(b"")))


def parse_if_quick(body: bytes | bytearray, header_length: int | None) -> ParsedRequest | None:
    """Parse a body if that takes a few milliseconds at most, else return None.

    Large bodies that need the regular parser, or a loop over texts, take longer.
    """
    if len(body) <= QUICK_BYTES:
        return parse_request(body, header_length)
    if header_length is None:
        return _parse_fast(bytes(body))
    if header_length > QUICK_BYTES:
        return None
    document = validate(InferenceRequest, parse_json(body[:header_length]))
    if any(declared.datatype == BYTES for declared in document.inputs):
        return None
    return _request(document, _tensors(document, memoryview(body)[header_length:]))


def _parse_fast(body: bytes) -> ParsedRequest | None:
    found = numbers.cut(body)
    if found is None:
        return None
    try:
        document = validate(InferenceRequest, parse_json(found.document))
    except ServiceError:
        return None
    used = [declared.data for declared in document.inputs]
    if any(type(i) is not int for i in used) or sorted(used) != list(range(len(found.lists))):
        return None  # some list was not the data of a tensor
    tensors = []
    for declared in document.inputs:
        if BINARY_SIZE in declared.parameters:
            return None
        values = numbers.read(found.lists[declared.data], declared)
        if values is None:
            return None
        values = narrowed(declared.name, declared.datatype, values)
        shape = tuple(declared.shape)
        tensors.append(Tensor(declared.name, declared.datatype, shape, values.reshape(shape)))
    return _request(document, tensors)


def _tensors(document: InferenceRequest, binary: memoryview) -> list[Tensor]:
    """Return the tensors. The data of binary tensors follow each other in order, without gaps."""
    at = 0
    tensors = []
    for declared in document.inputs:
        if BINARY_SIZE not in declared.parameters:
            tensors.append(from_json(declared))
            continue
        size = _binary_size(declared)
        if at + size > len(binary):
            detail = (
                f"{BINARY_SIZE} is {size}, but only {len(binary) - at} bytes are left in the body."
            )
            raise flawed(declared.name, detail)
        tensors.append(from_binary(declared, binary[at : at + size]))
        at += size
    if at != len(binary):
        raise MalformedBody(
            f"{len(binary) - at} bytes at the end of the body belong to no tensor. "
            f"Check {BINARY_SIZE} of the inputs."
        )
    return tensors


def _binary_size(declared: RequestInput) -> int:
    size = declared.parameters[BINARY_SIZE]
    if type(size) is not int or size < 0:
        raise flawed(declared.name, f"{BINARY_SIZE} must be a non-negative integer.")
    if declared.data is not None:
        raise flawed(
            declared.name, f"`data` and {BINARY_SIZE} exclude each other. Remove one of them."
        )
    return size


def _request(document: InferenceRequest, tensors: list[Tensor]) -> ParsedRequest:
    binary = _flag(document.parameters, "binary_data_output", False)
    for tensor in document.inputs:
        _require_supported(tensor.parameters, f"inputs.{tensor.name[:64]}")
    outputs = []
    for output in document.outputs or ():
        _require_supported(output.parameters, f"outputs.{output.name[:64]}")
        outputs.append(Wanted(output.name, _flag(output.parameters, "binary_data", binary)))
    names = [wanted.name for wanted in outputs]
    if len(set(names)) != len(names):
        raise invalid([Flaw("An output is requested twice. Remove one of them.", "outputs")])
    return ParsedRequest(document.id, tensors, outputs or None, binary)


def _require_supported(parameters: dict[str, Any], field: str) -> None:
    for name in _UNSUPPORTED:
        if name in parameters:
            raise invalid([Flaw(f"The parameter {name!r} is not supported. Remove it.", field)])


def _flag(parameters: dict[str, Any], name: str, default: bool) -> bool:
    value = parameters.get(name, default)
    if type(value) is not bool:
        raise invalid([Flaw(f"{name} must be true or false.", "parameters")])
    return value
