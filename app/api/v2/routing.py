"""Routes whose functions read the request themselves."""

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
    """Route that is documented like any other, but passes only the request to its function.

    Resolving parameters and dependencies can take longer than predicting a row; see `app.api.raw`.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the function of the route, without FastAPI's resolution of parameters."""
        endpoint = cast(Callable[[Request], Awaitable[Response]], self.endpoint)

        async def handle(request: Request) -> Response:
            return await endpoint(request)

        return handle


def target_of(parameters: PathParameters) -> tuple[str, int | None]:
    """Return model and version of a path, validated like `ModelName` and `Version`."""
    name, version = parameters["name"], parameters.get("version")
    if name is None or _NAME.fullmatch(name) is None:
        raise invalid([Flaw(f"The model name must match {NAME_PATTERN}.", "path.name")])
    if version is None:
        return name, None
    if _VERSION.fullmatch(version) is None or not 1 <= int(version) <= INT64:
        raise invalid([Flaw("The version must be an integer of at least 1.", "path.version")])
    return name, int(version)


def target_parameters(*, versioned: bool) -> list[dict[str, Any]]:
    """Return the OpenAPI description of the path parameters that `target_of` reads."""
    name = {"type": "string", "pattern": NAME_PATTERN}
    version = {"type": "integer", "minimum": 1, "maximum": INT64}
    found: dict[str, tuple[str, dict[str, Any]]] = {"name": ("Name of the model.", name)}
    if versioned:
        found["version"] = ("Version number, counted from 1.", version)
    return [
        {"name": key, "in": "path", "required": True, "description": about, "schema": schema}
        for key, (about, schema) in found.items()
    ]
