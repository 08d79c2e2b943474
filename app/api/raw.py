"""Calls that are answered before the framework looks at them.

Routing, dependencies and exit stacks of the framework cost several times what a small prediction
does. A call that is made thousands of times a second is looked up by its path alone, reads its
headers and its body itself, and has its errors turned into answers here. The framework knows the
same call as a route, for the OpenAPI document and for applications mounted under another path.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from app.api.bodies import EAGER_ARRAY_BYTES, as_a_batch, joined
from app.api.handlers import respond_to
from app.api.messages import Headers, headers_of, pieces_of, server_of
from app.errors import ServiceError

#: An answer that takes too long for the event loop, to be computed elsewhere.
Later = Callable[[], Response]
PathParameters = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Opening:
    """All of a request but its body."""

    server: str
    headers: Headers
    query: bytes
    parameters: PathParameters


class RawEndpoint(Protocol):
    """One call, in the three steps that it takes."""

    def admit(self, opening: Opening) -> Any:
        """What the headers say, or why the caller is turned away; before a body is read."""

    def at_once(self, call: Any, body: bytes | bytearray) -> Response | Later:
        """The answer to a body of at most `EAGER_ARRAY_BYTES` if it takes little time."""

    def compute(self, call: Any, body: bytes | bytearray) -> Response:
        """The answer, however long it takes."""


@dataclass(frozen=True)
class RawRoute:
    """POST to a path; the metrics ask for `path`."""

    path: str
    endpoint: RawEndpoint
    respond: Callable[[ServiceError], Response] = respond_to

    @property
    def pattern(self) -> re.Pattern[str]:
        """The paths as an expression, names as the service allows them; others are not ours."""
        return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[A-Za-z0-9._-]+)", self.path))


class RouteTable:
    """Path -> route and the parameters in the path."""

    def __init__(self, routes: Sequence[RawRoute]) -> None:
        self._exact = {route.path: route for route in routes if "{" not in route.path}
        self._patterns = [(route.pattern, route) for route in routes if "{" in route.path]

    def find(self, path: str) -> tuple[RawRoute, PathParameters] | None:
        """The route of a POST to that path."""
        route = self._exact.get(path)
        if route is not None:
            return route, {}
        for pattern, candidate in self._patterns:
            found = pattern.fullmatch(path)
            if found is not None:
                return candidate, found.groupdict()
        return None


class RawRoutes:
    """Answers what the table knows; everything else goes on to the application."""

    def __init__(self, app: ASGIApp, table: RouteTable) -> None:
        self._app = app
        self._table = table

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        found = None
        if scope["type"] == "http" and scope["method"] == "POST":
            found = self._table.find(scope["path"])
        if found is None:
            await self._app(scope, receive, send)
            return
        route, parameters = found
        scope["route"] = route
        try:
            response = await answer(route.endpoint, scope, receive, parameters)
        except ServiceError as error:
            response = route.respond(error)
        await response(scope, receive, send)


async def answer(
    endpoint: RawEndpoint, scope: Scope, receive: Receive, parameters: PathParameters
) -> Response:
    """Small bodies are answered at once, large ones in a thread."""
    call = endpoint.admit(
        Opening(server_of(scope), headers_of(scope), scope["query_string"], parameters)
    )
    pieces = await pieces_of(receive)
    if sum(map(len, pieces)) > EAGER_ARRAY_BYTES:
        return await as_a_batch(lambda: endpoint.compute(call, joined(pieces)))
    found = endpoint.at_once(call, joined(pieces))
    return found if isinstance(found, Response) else await as_a_batch(found)
