"""Access to the headers, the server address and the body of an ASGI request."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope

#: Header name in lower case -> value. Of repeated headers the first one counts, as in Starlette.
Headers = Mapping[bytes, bytes]


def headers_of(scope: Scope) -> Headers:
    """Return the headers of a request."""
    return dict(reversed(scope["headers"]))


def server_of(scope: Scope) -> str:
    """Return the server address that received the request; empty for a Unix socket."""
    server = scope.get("server")
    return server[0] if server else ""


async def pieces_of(receive: Receive) -> list[bytes]:
    """Return the body in the pieces received; joining them may take too long for the event loop."""
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
