"""Answers as bytes."""

from __future__ import annotations

from typing import Any

import orjson
from pydantic import BaseModel
from starlette.responses import Response

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


def problem_response(found: ProblemResponse) -> Response:
    """A problem as a response."""
    return Response(found.body, found.status, found.headers)
