"""Raw routes: endpoints that bypass the routing and the dependencies of FastAPI.

FastAPI's routing, dependencies and exit stacks can take longer than a small prediction (see "Why it
is fast" in docs/performance.md). A raw route is found by its path alone, its endpoint reads headers
and body itself, and its errors become responses here. FastAPI has the same operation as an ordinary
route, for the OpenAPI document and for applications that are mounted under another path.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from app.api.bodies import EAGER_ARRAY_BYTES, in_batch_thread, join_pieces
from app.api.handlers import respond_to
from app.api.messages import Headers, headers_of, pieces_of, server_of
from app.errors import ServiceError

#: Computes a response that takes too long for the event loop; to be called in a thread.
DeferredResponse = Callable[[], Response]
PathParameters = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class RequestHead:
    """Request line and headers, before the body is read."""

    server: str
    headers: Headers
    query: bytes
    parameters: PathParameters


class RawEndpoint(Protocol):
    """An operation in two steps: first `admit`, then either `try_immediate` or `compute`."""

    def admit(self, head: RequestHead) -> Any:
        """Check the API key and read the headers, before the body is read; raise to refuse."""

    def try_immediate(self, call: Any, body: bytes | bytearray) -> Response | DeferredResponse:
        """Respond on the event loop if that is quick, else return a function that responds.

        The body has at most `EAGER_ARRAY_BYTES` bytes.
        """

    def compute(self, call: Any, body: bytes | bytearray) -> Response:
        """Respond to a body of any size; called in a thread."""


@dataclass(frozen=True)
class RawRoute:
    """POST to a path. The metrics use `path` as the label of the route."""

    path: str
    endpoint: RawEndpoint
    respond: Callable[[ServiceError], Response] = respond_to

    @property
    def pattern(self) -> re.Pattern[str]:
        """Return a pattern of the matching paths.

        A parameter matches all characters of model names; the endpoint validates its value.
        """
        return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[A-Za-z0-9._-]+)", self.path))


class RouteTable:
    """Finds raw routes and path parameters by path."""

    def __init__(self, routes: Sequence[RawRoute]) -> None:
        self._exact = {route.path: route for route in routes if "{" not in route.path}
        self._patterns = [(route.pattern, route) for route in routes if "{" in route.path]

    def find(self, path: str) -> tuple[RawRoute, PathParameters] | None:
        """Return the route of a POST to `path` and its path parameters, or None."""
        route = self._exact.get(path)
        if route is not None:
            return route, {}
        for pattern, candidate in self._patterns:
            found = pattern.fullmatch(path)
            if found is not None:
                return candidate, found.groupdict()
        return None


class RawRoutes:
    """Serves the routes of the table; all other requests go to the application."""

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
            response = await run_endpoint(route.endpoint, scope, receive, parameters)
        except ServiceError as error:
            response = route.respond(error)
        await response(scope, receive, send)


async def run_endpoint(
    endpoint: RawEndpoint, scope: Scope, receive: Receive, parameters: PathParameters
) -> Response:
    """Respond to a small body on the event loop, and to a large one in a thread."""
    call = endpoint.admit(
        RequestHead(server_of(scope), headers_of(scope), scope["query_string"], parameters)
    )
    pieces = await pieces_of(receive)
    if sum(map(len, pieces)) > EAGER_ARRAY_BYTES:
        return await in_batch_thread(lambda: endpoint.compute(call, join_pieces(pieces)))
    found = endpoint.try_immediate(call, join_pieces(pieces))
    return found if isinstance(found, Response) else await in_batch_thread(found)
