"""What a connection tells: the headers of a request, and its body in pieces."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope

#: Names in lower case; of repeated headers the first, as the framework takes them.
Headers = Mapping[bytes, bytes]


def headers_of(scope: Scope) -> Headers:
    """All headers."""
    return dict(reversed(scope["headers"]))


def server_of(scope: Scope) -> str:
    """The address on which the request came in; empty for a socket file."""
    server = scope.get("server")
    return server[0] if server else ""


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
