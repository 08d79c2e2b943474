"""Answers as bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
from pydantic import BaseModel
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from app.api.problems import ProblemResponse

_OPTIONS = orjson.OPT_SERIALIZE_NUMPY


class JsonResponse(Response):
    """JSON by orjson, which writes NumPy arrays without making lists of them."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Encode."""
        if isinstance(content, BaseModel):
            content = content.model_dump()
        return orjson.dumps(content, option=_OPTIONS)


class BytesResponse(Response):
    """Bytes that are ready, in one or several pieces.

    Skips what `Response` does for the general case: on the way of a small prediction that is a
    noticeable part.
    """

    def __init__(
        self, content_type: bytes, *pieces: bytes, headers: Sequence[tuple[bytes, bytes]] = ()
    ) -> None:
        self.status_code = 200
        self.background = None
        self.pieces = pieces
        length = str(sum(map(len, pieces))).encode()
        self.raw_headers = [(b"content-type", content_type), (b"content-length", length), *headers]

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        """Send all pieces; each waits until the client has taken what came before."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        last = len(self.pieces) - 1
        for i, piece in enumerate(self.pieces):
            await send({"type": "http.response.body", "body": piece, "more_body": i < last})


def problem_response(found: ProblemResponse) -> Response:
    """A problem as a response."""
    return Response(found.body, found.status, found.headers)
