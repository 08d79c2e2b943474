"""Bodies are counted as they arrive; what is too much is refused before it is held in memory."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app import errors
from app.api.middleware import send_problem
from app.api.problems import problem_of

#: In the scope of a request of which everything is here, set by our protocol: no clock is needed.
ARRIVED = "frtsvm.arrived"
#: The web server reads that much of a body before anyone asks for it.
SMALL_BYTES = 64 * 1024


class InFlight:
    """The bytes of bodies that this process holds, whoever holds them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0

    def take(self, size: int) -> bool:
        """Whether there is room for so many more; who gets a yes gives them back."""
        if self._held + size > self._most:
            return False
        self._held += size
        return True

    def give_back(self, size: int) -> None:
        """They are held no longer."""
        self._held -= size


class BodyLimit:
    """Limits one body, the time it takes, and the bodies of this process together."""

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
        if 0 < declared <= SMALL_BYTES and ARRIVED in scope:
            await self._app(
                scope, receive, send
            )  # all of it has been read, and is too little to count
            return
        counter = _Counter(self, scope, receive)
        try:
            await self._app(scope, counter.receive, send)
        finally:
            self._in_flight.give_back(counter.held)

    def _too_large(self, given: int) -> errors.BodyTooLarge:
        return errors.BodyTooLarge(
            f"the body has {given} bytes or more, at most {self._max_bytes} are allowed",
            numbers={"body_bytes": given, "max_body_bytes": self._max_bytes},
        )

    def admit(self, total: int, more: int) -> None:
        """Count `more` bytes of a body that then has `total`, or refuse them."""
        if total > self._max_bytes:
            raise self._too_large(total)
        if not self._in_flight.take(more):
            raise errors.TooManyBytesInFlight("too many large bodies at this moment")

    @property
    def timeout(self) -> float:
        """Seconds for a whole body."""
        return self._timeout


class _Counter:
    """Counts the body of one request."""

    def __init__(self, owner: BodyLimit, scope: Scope, receive: Receive) -> None:
        self._owner = owner
        self._scope = scope
        self._receive = receive
        self._deadline: float | None = None
        self._complete = False
        self.held = 0

    async def receive(self) -> Message:
        """The next piece. After the last one, waiting (for a disconnect) has no limit."""
        if self._complete:
            return await self._receive()
        message = await (self._receive() if ARRIVED in self._scope else self._receive_in_time())
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
            raise too_slow(self._owner.timeout) from None


def too_slow(timeout: float) -> errors.BodyTooSlow:
    """A body that has not come in time."""
    return errors.BodyTooSlow(f"the body did not arrive within {timeout:g} s")


def _declared_length(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0
