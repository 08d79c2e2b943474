"""Around every request: an id, a log line, metrics, and an answer whatever happens.

Pure ASGI, no `BaseHTTPMiddleware`: that would cost more than a small prediction.
"""

from __future__ import annotations

import logging
import os
import re
import time

from prometheus_client import Counter, Histogram
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.problems import ProblemResponse, http_problem
from app.observability.context import request_id
from app.observability.metrics import Metrics

log = logging.getLogger("frtsvm.access")
failures = logging.getLogger("frtsvm.errors")

_ACCEPTABLE_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
#: Other methods are counted as one, so that nobody can make up new time series.
_METHODS = frozenset({"GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"})

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

    def __init__(self, app: ASGIApp, metrics: Metrics, access_log: bool) -> None:
        self._app = app
        self._metrics = metrics
        self._access_log = access_log
        self._series: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        identifier = _id_of(scope)
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
            self._record(scope, status, time.perf_counter() - started)
            request_id.reset(token)

    def _record(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "unmatched")
        method = scope["method"] if scope["method"] in _METHODS else "other"
        series = self._series.get((method, route, status))
        if series is None:
            series = self._series[method, route, status] = (
                self._metrics.requests.labels(method, route, str(status)),
                self._metrics.latency.labels(method, route),
            )
        series[0].inc()
        series[1].observe(seconds)
        if self._access_log:
            log.info(
                "request",
                extra={
                    "method": scope["method"],
                    "path": scope["path"],
                    "status": status,
                    "ms": round(seconds * 1000, 2),
                },
            )


def _id_of(scope: Scope) -> str:
    for name, value in scope["headers"]:
        if name == b"x-request-id" and _ACCEPTABLE_ID.fullmatch(value):
            return str(value, "ascii")
    return os.urandom(8).hex()
