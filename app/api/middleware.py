"""Middleware around every request: request id, log line, metrics, and a response to any failure.

This is pure ASGI middleware, because Starlette's `BaseHTTPMiddleware` creates a task for each
request, which takes longer than a small prediction.
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

#: Status in logs and metrics if the client disconnected before it had sent the whole request.
CLIENT_CLOSED = 499
UNEXPECTED = (
    "An unexpected error occurred. Search the log of the service for the request id, which is in "
    "the header `X-Request-Id` of this response."
)


async def send_problem(found: ProblemResponse, send: Send, *, close: bool = False) -> None:
    """Send a problem response from outside the application."""
    headers = [(key.encode(), value.encode()) for key, value in found.headers.items()]
    headers.append((b"content-length", str(len(found.body)).encode()))
    if close:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": found.status, "headers": headers})
    await send({"type": "http.response.body", "body": found.body})


class RequestContext:
    """Gives every request an id and a response, and records it."""

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
        except ClientDisconnect:  # there is no client to respond to
            status = status or CLIENT_CLOSED
        except Exception:
            failures.exception("request failed", extra={"path": scope["path"]})
            if status:  # the response has begun and can only be aborted
                raise
            await send_problem(http_problem(500, UNEXPECTED), send_with_id)
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
