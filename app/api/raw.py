"""Calls that are answered before the framework looks at them.

Routing, dependencies and exit stacks of the framework cost several times what a small prediction
does. A call that is made thousands of times a second is looked up by method and path alone, reads
its headers and its body itself, and has its errors turned into problems here. The framework knows
the same call as a route, for the OpenAPI document and for applications mounted under another path.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from app.api.handlers import respond_to
from app.errors import ServiceError

Endpoint = Callable[[Scope, Receive], Awaitable[Response]]


@dataclass(frozen=True)
class RawRoute:
    """What the metrics ask of a route, and who answers."""

    path: str
    endpoint: Endpoint


class RawRoutes:
    """Method and path -> endpoint; everything else goes on to the application."""

    def __init__(self, app: ASGIApp, endpoints: Mapping[tuple[str, str], Endpoint]) -> None:
        self._app = app
        self._routes = {key: RawRoute(key[1], endpoint) for key, endpoint in endpoints.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        route = None
        if scope["type"] == "http":
            route = self._routes.get((scope["method"], scope["path"]))
        if route is None:
            await self._app(scope, receive, send)
            return
        scope["route"] = route
        try:
            response = await route.endpoint(scope, receive)
        except ServiceError as error:
            response = respond_to(error)
        await response(scope, receive, send)


def headers_of(scope: Scope) -> dict[bytes, bytes]:
    """All headers; of repeated ones the first, as the framework takes them."""
    return dict(reversed(scope["headers"]))


async def pieces_of(receive: Receive) -> list[bytes]:
    """The body in the pieces in which it came: joining them may be too much work to do here."""
    pieces: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        piece = message.get("body", b"")
        if piece:
            pieces.append(piece)
        if not message.get("more_body", False):
            return pieces
