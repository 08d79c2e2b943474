"""Response classes."""

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
    """JSON encoded by orjson, which writes NumPy arrays without converting them to lists."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Encode a value or a Pydantic model."""
        if isinstance(content, BaseModel):
            content = content.model_dump()
        return orjson.dumps(content, option=_OPTIONS)


class BytesResponse(Response):
    """Encoded content in one or several pieces.

    The class skips the general initialization of `Response`, which takes a noticeable part of the
    time of a small prediction.
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
        """Send the pieces, each after the client has received enough of the ones before."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        last = len(self.pieces) - 1
        for i, piece in enumerate(self.pieces):
            await send({"type": "http.response.body", "body": piece, "more_body": i < last})


def problem_response(found: ProblemResponse) -> Response:
    """Return a problem as a response."""
    return Response(found.body, found.status, found.headers)
