"""Request bodies: which kinds are accepted, and how they become requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

from fastapi import Request
from pydantic import BaseModel

from app.api.messages import headers_of
from app.errors import UnsupportedMediaType
from app.schemas.validation import parse_json, validate
from app.wire.json_rows import parse_with_rows
from frtsvm_core.cores import available_cores

JSON = "application/json"
CSV = "text/csv"
PARQUET = "application/vnd.apache.parquet"
ARROW = "application/vnd.apache.arrow.stream"
NPY = "application/x-npy"
OCTETS = "application/octet-stream"

#: Up to this many bytes parsing takes less than handing it to a thread.
INLINE_BYTES = 64 * 1024

#: Up to this many bytes rows of numbers are read on the loop: it takes half a millisecond.
EAGER_BYTES = 512 * 1024

#: Up to this many bytes arrays are: nothing has to be parsed.
EAGER_ARRAY_BYTES = 2 * 1024 * 1024

_ALSO_CALLED = {"application/x-parquet": PARQUET, "application/parquet": PARQUET}

_batches = ThreadPoolExecutor(max(2, available_cores()), "batch")

Parsed = TypeVar("Parsed", bound=BaseModel)
Result = TypeVar("Result")


def media_type_of(request: Request, *accepted: str) -> str:
    """The kind of the body; JSON if the client does not say."""
    return kind_of(headers_of(request.scope).get(b"content-type"), *accepted)


def kind_of(content_type: bytes | None, *accepted: str) -> str:
    """The same, given the header."""
    if content_type is None or content_type == b"application/json":
        kind = given = JSON
    else:
        given = content_type.decode("latin-1").split(";")[0].strip().lower()
        kind = _ALSO_CALLED.get(given, given)
    if kind.endswith("+json"):
        kind = JSON
    if kind not in accepted:
        raise UnsupportedMediaType(
            f"content type {given[:64]!r} is not accepted, send {' or '.join(accepted)}"
        )
    return kind


def joined(pieces: Sequence[bytes | bytearray]) -> bytes | bytearray:
    """One body. A large one is copied piece by piece, so that other threads get their turn."""
    if len(pieces) <= 1:
        return pieces[0] if pieces else b""
    size = sum(map(len, pieces))
    if size <= EAGER_BYTES:
        return b"".join(pieces)
    body = bytearray(size)
    at = 0
    for piece in pieces:
        body[at : at + len(piece)] = piece
        at += len(piece)
    return body


def parse(kind: type[Parsed], body: bytes | bytearray) -> Parsed:
    """Bytes to a validated request."""
    return validate(kind, parse_with_rows(body) or parse_json(body))


def parse_if_quick(kind: type[Parsed], body: bytes | bytearray) -> Parsed | None:
    """The same on the event loop; None if it would take the usual parser, and that long."""
    with_rows = parse_with_rows(body)
    if with_rows is None and len(body) > INLINE_BYTES:
        return None
    return validate(kind, with_rows or parse_json(body))


async def off_the_loop(size: int, function: Callable[..., Result], *args: Any) -> Result:
    """Run at once if it is little work, else in a thread."""
    if size <= INLINE_BYTES:
        return function(*args)
    return await in_a_thread(function, *args)


async def in_a_thread(function: Callable[..., Result], *args: Any) -> Result:
    """Run where it keeps nobody else waiting."""
    return await asyncio.to_thread(_without_stop_iteration, function, *args)


async def as_a_batch(function: Callable[..., Result], *args: Any) -> Result:
    """Compute in one of a few threads: more of them would only take turns, at a cost for each."""
    call = partial(copy_context().run, _without_stop_iteration, function, *args)
    return await asyncio.get_running_loop().run_in_executor(_batches, call)


def _without_stop_iteration(function: Callable[..., Result], *args: Any) -> Result:
    try:
        return function(*args)
    except StopIteration as error:  # a future cannot carry it: its waiter would wait for ever
        raise RuntimeError("a generator ended unexpectedly") from error


async def read_json(request: Request, kind: type[Parsed]) -> Parsed:
    """A JSON body as a request."""
    media_type_of(request, JSON)
    body = await request.body()
    return await off_the_loop(len(body), parse, kind, body)


def json_body(kind: type[BaseModel], example: Any) -> dict[str, Any]:
    """The `openapi_extra` of a route that reads its body itself."""
    reference = {"$ref": f"#/components/schemas/{kind.__name__}"}
    content = {JSON: {"schema": reference, "example": example}}
    return {"requestBody": {"required": True, "content": content}}
