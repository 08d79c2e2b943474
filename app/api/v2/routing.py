"""Routes that read their request themselves."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, cast

from fastapi import Request, Response
from fastapi.routing import APIRoute

from app.api.raw import PathParameters
from app.errors import Flaw
from app.schemas.base import INT64, NAME_PATTERN
from app.schemas.validation import invalid

_NAME = re.compile(NAME_PATTERN.removesuffix("$"))
_VERSION = re.compile(r"[0-9]{1,19}")


class UnresolvedRoute(APIRoute):
    """In the document as any other route, but its function gets the request and nothing else.

    Resolving parameters and dependencies would cost more than predicting a row.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The function itself."""
        endpoint = cast(Callable[[Request], Awaitable[Response]], self.endpoint)

        async def handle(request: Request) -> Response:
            return await endpoint(request)

        return handle


def target_of(parameters: PathParameters) -> tuple[str, int | None]:
    """Model and version of a path, by the rules that `ModelName` and `Version` state."""
    name, version = parameters["name"], parameters.get("version")
    if name is None or _NAME.fullmatch(name) is None:
        raise invalid([Flaw(f"a name matches {NAME_PATTERN}", "path.name")])
    if version is None:
        return name, None
    if _VERSION.fullmatch(version) is None or not 1 <= int(version) <= INT64:
        raise invalid([Flaw("a version is an integer from 1", "path.version")])
    return name, int(version)


def target_parameters(*, versioned: bool) -> list[dict[str, Any]]:
    """How the document describes what `target_of` reads."""
    name = {"type": "string", "pattern": NAME_PATTERN}
    version = {"type": "integer", "minimum": 1, "maximum": INT64}
    found = {"name": name, "version": version} if versioned else {"name": name}
    return [
        {"name": key, "in": "path", "required": True, "schema": schema}
        for key, schema in found.items()
    ]
