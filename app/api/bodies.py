"""Request bodies: which kinds are accepted, and how they become requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from fastapi import Request
from pydantic import BaseModel

from app.errors import UnsupportedMediaType
from app.schemas.validation import parse_json, validate

JSON = "application/json"
CSV = "text/csv"
PARQUET = "application/vnd.apache.parquet"

#: Up to this many bytes parsing takes less than handing it to a thread.
INLINE_BYTES = 64 * 1024

Parsed = TypeVar("Parsed", bound=BaseModel)
Result = TypeVar("Result")


def media_type_of(request: Request, *accepted: str) -> str:
    """The kind of the body; JSON if the client does not say."""
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding != "identity":
        raise UnsupportedMediaType("compressed bodies are not accepted")
    given = request.headers.get("content-type", JSON).split(";")[0].strip().lower()
    kind = {"application/x-parquet": PARQUET, "application/parquet": PARQUET}.get(given, given)
    if kind.endswith("+json"):
        kind = JSON
    if kind not in accepted:
        raise UnsupportedMediaType(
            f"content type {given[:64]!r} is not accepted, send {' or '.join(accepted)}"
        )
    return kind


def parse(kind: type[Parsed], body: bytes) -> Parsed:
    """Bytes to a validated request. A faster parser may take its place for large bodies."""
    return validate(kind, parse_json(body))


async def off_the_loop(size: int, function: Callable[..., Result], *args: Any) -> Result:
    """Run at once if it is little work, else in a thread."""
    if size <= INLINE_BYTES:
        return function(*args)

    def call() -> Result:
        try:
            return function(*args)
        except StopIteration as error:  # a future cannot carry it: its waiter would wait for ever
            raise RuntimeError("a generator ended unexpectedly") from error

    return await asyncio.to_thread(call)


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
