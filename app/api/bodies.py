"""Request bodies: accepted media types, parsing, and where the parsing runs."""

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

#: Up to this many bytes, any JSON is parsed on the event loop, which takes a few milliseconds.
INLINE_BYTES = 64 * 1024

#: Up to this many bytes, rows that `parse_with_rows` can read are parsed on the event loop, which
#: takes about 0.5 ms.
EAGER_BYTES = 512 * 1024

#: Up to this many bytes, arrays are read on the event loop; they need no parsing.
EAGER_ARRAY_BYTES = 2 * 1024 * 1024

_ALSO_CALLED = {"application/x-parquet": PARQUET, "application/parquet": PARQUET}

_batch_threads = ThreadPoolExecutor(max(2, available_cores()), "batch")

Parsed = TypeVar("Parsed", bound=BaseModel)
Result = TypeVar("Result")


def media_type_of(request: Request, *accepted: str) -> str:
    """Return the media type of the body, which must be one of `accepted`; the default is JSON."""
    return kind_of(headers_of(request.scope).get(b"content-type"), *accepted)


def kind_of(content_type: bytes | None, *accepted: str) -> str:
    """Return the media type that a `Content-Type` header names; JSON without a header.

    Raise `UnsupportedMediaType` if it is not one of `accepted`.
    """
    if content_type is None or content_type == b"application/json":
        kind = given = JSON
    else:
        given = content_type.decode("latin-1").split(";")[0].strip().lower()
        kind = _ALSO_CALLED.get(given, given)
    if kind.endswith("+json"):
        kind = JSON
    if kind not in accepted:
        raise UnsupportedMediaType(
            f"The content type {given[:64]!r} is not supported. Send {' or '.join(accepted)}."
        )
    return kind


def join_pieces(pieces: Sequence[bytes | bytearray]) -> bytes | bytearray:
    """Join the pieces of a body, a large one piece by piece so that other threads can run."""
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
    """Parse and validate a JSON body."""
    return validate(kind, parse_with_rows(body) or parse_json(body))


def parse_if_quick(kind: type[Parsed], body: bytes | bytearray) -> Parsed | None:
    """Parse as `parse` does, but return None where that takes too long for the event loop.

    That is a body over `INLINE_BYTES` that `parse_with_rows` cannot read.
    """
    with_rows = parse_with_rows(body)
    if with_rows is None and len(body) > INLINE_BYTES:
        return None
    return validate(kind, with_rows or parse_json(body))


async def thread_if_large(size: int, function: Callable[..., Result], *args: Any) -> Result:
    """Run `function` in a thread if its input of `size` bytes exceeds `INLINE_BYTES`, else here."""
    if size <= INLINE_BYTES:
        return function(*args)
    return await in_thread(function, *args)


async def in_thread(function: Callable[..., Result], *args: Any) -> Result:
    """Run `function` in a thread, so that it does not block the event loop."""
    return await asyncio.to_thread(_without_stop_iteration, function, *args)


async def in_batch_thread(function: Callable[..., Result], *args: Any) -> Result:
    """Run `function` in the thread pool for predictions that take too long for the event loop.

    The pool has about one thread per CPU core: more threads would only compete for the cores.
    """
    call = partial(copy_context().run, _without_stop_iteration, function, *args)
    return await asyncio.get_running_loop().run_in_executor(_batch_threads, call)


def _without_stop_iteration(function: Callable[..., Result], *args: Any) -> Result:
    try:
        return function(*args)
    except StopIteration as error:  # a future cannot hold it: awaiting the future would never end
        raise RuntimeError("A generator ended unexpectedly.") from error


async def read_json(request: Request, kind: type[Parsed]) -> Parsed:
    """Read, parse and validate a JSON body."""
    media_type_of(request, JSON)
    body = await request.body()
    return await thread_if_large(len(body), parse, kind, body)


def json_body(kind: type[BaseModel], example: Any) -> dict[str, Any]:
    """Return the `openapi_extra` of a route that reads its own body."""
    reference = {"$ref": f"#/components/schemas/{kind.__name__}"}
    content = {JSON: {"schema": reference, "example": example}}
    return {"requestBody": {"required": True, "content": content}}
