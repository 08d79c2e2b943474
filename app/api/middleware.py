"""Around every request: an id, a log line, metrics, and an answer whatever happens.

Pure ASGI, no `BaseHTTPMiddleware`: that would cost more than a small prediction.
"""

from __future__ import annotations

import logging
import time

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.problems import ProblemResponse, http_problem
from app.api.recording import Recorder, id_for
from app.observability.context import request_id

failures = logging.getLogger("frtsvm.errors")

#: The status, in logs and metrics only, of a request whose sender left before it was complete.
CLIENT_CLOSED = 499


async def send_problem(found: ProblemResponse, send: Send, *, close: bool = False) -> None:
    """Answer with a problem from outside the application."""
    headers = [(key.encode(), value.encode()) for key, value in found.headers.items()]
    headers.append((b"content-length", str(len(found.body)).encode()))
    if close:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": found.status, "headers": headers})
    await send({"type": "http.response.body", "body": found.body})


class RequestContext:
    """Outermost: nothing passes it without an id and an answer."""

    def __init__(self, app: ASGIApp, recorder: Recorder) -> None:
        self._app = app
        self._recorder = recorder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        identifier = id_for(_given_id(scope))
        token = request_id.set(identifier)
        started = time.perf_counter()
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = message.setdefault("headers", [])
                headers.append((b"x-request-id", identifier.encode()))
                headers.append((b"x-content-type-options", b"nosniff"))
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        except ClientDisconnect:  # nobody is there to be answered
            status = status or CLIENT_CLOSED
        except Exception:
            failures.exception("request failed", extra={"path": scope["path"]})
            if status:  # the answer has begun, it can only be cut off
                raise
            await send_problem(http_problem(500, "an unexpected error"), send_with_id)
        finally:
            route = getattr(scope.get("route"), "path", "unmatched")
            seconds = time.perf_counter() - started
            self._recorder.record(scope["method"], scope["path"], route, status, seconds)
            request_id.reset(token)


def _given_id(scope: Scope) -> bytes | None:
    for name, value in scope["headers"]:
        if name == b"x-request-id":
            return bytes(value)
    return None
