"""uvicorn's HTTP protocol with deadlines and header limits.

As it comes, uvicorn keeps a connection open for ever on which a client sends half a request, or
nothing, and reads headers of any size. Given as `http=` to uvicorn; the limits are class attributes
because uvicorn makes the instances.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from app.api.body_limit import ARRIVED
from app.api.problems import ProblemResponse, http_problem, problem_of
from app.errors import HeadersTooLarge

#: The application answers 408 when a body takes too long; the line is cut a little later.
BODY_GRACE = 2.0


class DeadlineProtocol(HttpToolsProtocol):
    """Headers complete within `header_timeout`, bodies within `body_timeout`, or the line is cut."""

    header_timeout = 5.0
    body_timeout = 60.0
    max_header_bytes = 32 * 1024
    max_headers = 100

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadline: float | None = None
        self._alarm: asyncio.TimerHandle | None = None
        self._header_bytes = 0
        self._reading_headers = True
        self._refused = False

    # --- deadlines
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A connection on which nothing comes is closed too."""
        super().connection_made(transport)
        self.set_deadline(self.header_timeout)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing left to wait for."""
        self.clear_deadline()
        if self._alarm is not None:
            self._alarm.cancel()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """A request begins; the first byte of it starts the clock."""
        super().on_message_begin()
        self._header_bytes = 0
        self._reading_headers = True
        self.set_deadline(self.header_timeout)

    def on_headers_complete(self) -> None:
        """The headers are there; now the body."""
        self._reading_headers = False
        size = len(self.url) + sum([len(name) + len(value) for name, value in self.headers])
        if size > self.max_header_bytes or len(self.headers) > self.max_headers:
            self._refuse_headers()
            return
        self.begin_request()

    def begin_request(self) -> None:
        """Hand the request to the application, which waits for its body."""
        self.set_deadline(self.body_timeout + BODY_GRACE)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A piece of a body."""
        if not self._refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is there; how long the answer takes is ours to decide."""
        if self._refused:
            return
        self.clear_deadline()
        self.scope[ARRIVED] = True  # type: ignore[literal-required]
        super().on_message_complete()

    # --- sizes
    def data_received(self, data: bytes) -> None:
        """Count what arrives before the headers are complete."""
        if self._refused:
            return
        before = self._reading_headers
        super().data_received(data)
        if self._reading_headers:
            # The parser hands over a header only when it is complete; do not let it collect one. Of
            # a request that begins behind another one, nobody knows how much is in here.
            self._header_bytes += len(data) if before else 1
            if self._header_bytes > self.max_header_bytes:
                self._refuse_headers()

    def _refuse_headers(self) -> None:
        detail = (
            f"at most {self.max_headers} header fields and {self.max_header_bytes} bytes "
            "of headers are allowed"
        )
        self.refuse(problem_of(HeadersTooLarge(detail)))

    # --- answers from outside the application
    def send_400_response(self, msg: str) -> None:
        """What the parser cannot read."""
        if not self._refused:
            self.refuse(http_problem(400, msg))

    def refuse(self, found: ProblemResponse) -> None:
        """Answer with a problem, and hear no more."""
        if self._refused:
            return
        self._refused = True
        head = [STATUS_LINE[found.status]]
        head += [f"{key}: {value}\r\n".encode() for key, value in found.headers.items()]
        head.append(f"content-length: {len(found.body)}\r\nconnection: close\r\n\r\n".encode())
        if not self.transport.is_closing():
            self.transport.write(b"".join(head) + found.body)
        self.transport.close()

    def set_deadline(self, seconds: float) -> None:
        """One alarm serves all deadlines of a connection: setting a new one each time costs more."""
        self._deadline = self.loop.time() + seconds
        if self._alarm is None or self._alarm.when() > self._deadline:
            self._wake_at(self._deadline)

    def clear_deadline(self) -> None:
        """Nothing is waited for."""
        self._deadline = None  # the alarm will find nothing to do

    def _wake_at(self, moment: float) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = self.loop.call_at(moment, self._on_alarm)

    def _on_alarm(self) -> None:
        self._alarm = None
        if self._deadline is None:
            return
        if self._deadline > self.loop.time():  # it was moved
            self._wake_at(self._deadline)
        else:
            self.out_of_time()

    def out_of_time(self) -> None:
        """What was waited for has not come."""
        if self.transport.is_closing():
            return
        if self._reading_headers and self._header_bytes:
            self.refuse(http_problem(408, "the headers did not arrive in time"))
        else:
            self.transport.close()


def protocol_with_limits(
    header_timeout: float, body_timeout: float, max_header_bytes: int, max_headers: int
) -> type[DeadlineProtocol]:
    """Set the limits for this process."""
    DeadlineProtocol.header_timeout = header_timeout
    DeadlineProtocol.body_timeout = body_timeout
    DeadlineProtocol.max_header_bytes = max_header_bytes
    DeadlineProtocol.max_headers = max_headers
    return DeadlineProtocol
