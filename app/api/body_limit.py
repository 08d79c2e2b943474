"""Limits on request bodies, checked while they arrive, before they fill the memory."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app import errors
from app.api.middleware import send_problem
from app.api.problems import problem_of

#: Key in the scope of a request whose body has arrived completely, set by `DeadlineProtocol`. Such
#: a request needs no deadline.
BODY_COMPLETE = "frtsvm.arrived"
#: Complete bodies up to this size are not counted: uvicorn buffers this many bytes of each body
#: anyway, before the application calls `receive`.
SMALL_BYTES = 64 * 1024


class InFlight:
    """Counts the bytes of all request bodies that this process holds in memory."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0

    def reserve(self, size: int) -> bool:
        """Reserve `size` bytes and return True, or return False if they do not fit.

        The caller must `release` the bytes that it reserved.
        """
        if self._held + size > self._most:
            return False
        self._held += size
        return True

    def release(self, size: int) -> None:
        """Release bytes that `reserve` reserved."""
        self._held -= size


class BodyLimit:
    """Limits the size of each body, its time to arrive, and the total size of all bodies held."""

    def __init__(self, app: ASGIApp, max_bytes: int, in_flight: InFlight, timeout: float) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._in_flight = in_flight
        self._timeout = timeout

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        declared = _declared_length(scope)
        if declared > self._max_bytes:
            await send_problem(problem_of(self._too_large(declared)), send, close=True)
            return
        if 0 < declared <= SMALL_BYTES and BODY_COMPLETE in scope:
            # The body is complete and too small to count.
            await self._app(scope, receive, send)
            return
        counter = _CountingReceiver(self, scope, receive)
        try:
            await self._app(scope, counter.receive, send)
        finally:
            self._in_flight.release(counter.held)

    def _too_large(self, given: int) -> errors.BodyTooLarge:
        return errors.BodyTooLarge(
            f"The body has at least {given} bytes, but at most {self._max_bytes} are allowed. "
            "Send fewer rows, or raise FRTSVM_MAX_BODY_BYTES.",
            numbers={"body_bytes": given, "max_body_bytes": self._max_bytes},
        )

    def admit(self, total: int, more: int) -> None:
        """Reserve `more` bytes for a body that then has `total` bytes, or raise."""
        if total > self._max_bytes:
            raise self._too_large(total)
        if not self._in_flight.reserve(more):
            raise errors.TooManyBytesInFlight(
                "The request bodies received at this moment exceed the memory reserved for them. "
                "Try again later, or raise FRTSVM_MAX_BYTES_IN_FLIGHT."
            )

    @property
    def timeout(self) -> float:
        """Seconds within which a whole body must arrive."""
        return self._timeout


class _CountingReceiver:
    """Receives the body of one request and counts its bytes."""

    def __init__(self, owner: BodyLimit, scope: Scope, receive: Receive) -> None:
        self._owner = owner
        self._scope = scope
        self._receive = receive
        self._deadline: float | None = None
        self._complete = False
        self.held = 0

    async def receive(self) -> Message:
        """Receive the next message. The time limit ends with the last piece of the body."""
        if self._complete:
            return await self._receive()
        message = await (
            self._receive() if BODY_COMPLETE in self._scope else self._receive_in_time()
        )
        if message["type"] == "http.request":
            size = len(message.get("body", b""))
            self._owner.admit(self.held + size, size)
            self.held += size
            self._complete = not message.get("more_body", False)
        return message

    async def _receive_in_time(self) -> Message:
        loop = asyncio.get_running_loop()
        if self._deadline is None:
            self._deadline = loop.time() + self._owner.timeout
        try:
            async with asyncio.timeout_at(self._deadline):
                return await self._receive()
        except TimeoutError:
            raise body_timeout_error(self._owner.timeout) from None


def body_timeout_error(timeout: float) -> errors.BodyTooSlow:
    """Return the error for a body that did not arrive within `timeout` seconds."""
    return errors.BodyTooSlow(
        f"The body did not arrive within {timeout:g} seconds. "
        "Send it faster or in smaller parts, or raise FRTSVM_BODY_TIMEOUT."
    )


def _declared_length(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0
