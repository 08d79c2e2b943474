"""uvicorn's HTTP protocol with deadlines and header limits.

By itself, uvicorn never closes a connection on which a client sends an incomplete request or
nothing, and it accepts headers of any size. The class is passed to uvicorn as `http=`. Its limits
are class attributes because uvicorn creates the instances.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from app.api.body_limit import BODY_COMPLETE
from app.api.problems import ProblemResponse, http_problem, problem_of
from app.errors import HeadersTooLarge

#: `BodyLimit` responds with 408 to a slow body. If the request still has not ended this many
#: seconds later, the protocol closes the connection.
BODY_GRACE = 2.0


class DeadlineProtocol(HttpToolsProtocol):
    """Closes connections whose headers or bodies are late, and refuses headers that are too large.

    Headers must be complete within `header_timeout` seconds, bodies within `body_timeout` seconds.
    """

    header_timeout = 5.0
    body_timeout = 60.0
    max_header_bytes = 32 * 1024
    max_headers = 100

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadline: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._header_bytes = 0
        self._reading_headers = True
        self._refused = False

    # --- deadlines
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the header deadline, so that an unused connection is closed as well."""
        super().connection_made(transport)
        self.set_deadline(self.header_timeout)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the pending deadline."""
        self.clear_deadline()
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """Restart the header deadline at the first byte of a request."""
        super().on_message_begin()
        self._header_bytes = 0
        self._reading_headers = True
        self.set_deadline(self.header_timeout)

    def on_headers_complete(self) -> None:
        """Check the size of the headers, then begin the request."""
        self._reading_headers = False
        size = len(self.url) + sum([len(name) + len(value) for name, value in self.headers])
        if size > self.max_header_bytes or len(self.headers) > self.max_headers:
            self._refuse_headers()
            return
        self.begin_request()

    def begin_request(self) -> None:
        """Hand the request to the application and start the body deadline."""
        self.set_deadline(self.body_timeout + BODY_GRACE)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Pass on a piece of the body, unless the request was refused."""
        if not self._refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Cancel the deadline: the time until the response does not depend on the client."""
        if self._refused:
            return
        self.clear_deadline()
        self.scope[BODY_COMPLETE] = True  # type: ignore[literal-required]
        super().on_message_complete()

    # --- sizes
    def data_received(self, data: bytes) -> None:
        """Limit the bytes that arrive before the headers are complete."""
        if self._refused:
            return
        before = self._reading_headers
        super().data_received(data)
        if self._reading_headers:
            # The parser reports a header field only when it is complete, so one endless field must
            # be stopped here. If a pipelined request begins within `data`, its share of the bytes
            # is unknown and counts as one byte.
            self._header_bytes += len(data) if before else 1
            if self._header_bytes > self.max_header_bytes:
                self._refuse_headers()

    def _refuse_headers(self) -> None:
        detail = (
            f"The request may have at most {self.max_headers} header fields, and at most "
            f"{self.max_header_bytes} bytes of request line and headers. Send fewer or shorter "
            "ones, or raise FRTSVM_MAX_HEADERS and FRTSVM_MAX_HEADER_BYTES."
        )
        self.refuse(problem_of(HeadersTooLarge(detail)))

    # --- responses from outside the application
    def send_400_response(self, msg: str) -> None:
        """Refuse a request that the HTTP parser cannot read."""
        if not self._refused:
            self.refuse(http_problem(400, msg))

    def refuse(self, found: ProblemResponse) -> None:
        """Respond with a problem, close the connection and ignore further input."""
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
        """Set the deadline `seconds` from now.

        One timer serves all deadlines of a connection, because a new timer for each costs more.
        """
        self._deadline = self.loop.time() + seconds
        if self._timer is None or self._timer.when() > self._deadline:
            self._set_timer(self._deadline)

    def clear_deadline(self) -> None:
        """Cancel the pending deadline."""
        self._deadline = None  # the timer stays set and has no effect when it fires

    def _set_timer(self, moment: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_at(moment, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        if self._deadline is None:
            return
        if self._deadline > self.loop.time():  # the deadline was moved
            self._set_timer(self._deadline)
        else:
            self.deadline_expired()

    def deadline_expired(self) -> None:
        """Close the connection; respond with 408 if headers have arrived in part."""
        if self.transport.is_closing():
            return
        if self._reading_headers and self._header_bytes:
            self.refuse(
                http_problem(
                    408,
                    f"The headers did not arrive within {self.header_timeout:g} seconds. "
                    "Send them faster, or raise FRTSVM_HEADER_TIMEOUT.",
                )
            )
        else:
            self.transport.close()


def protocol_with_limits(
    header_timeout: float, body_timeout: float, max_header_bytes: int, max_headers: int
) -> type[DeadlineProtocol]:
    """Set the limits of `DeadlineProtocol` for this process, and return the class itself."""
    DeadlineProtocol.header_timeout = header_timeout
    DeadlineProtocol.body_timeout = body_timeout
    DeadlineProtocol.max_header_bytes = max_header_bytes
    DeadlineProtocol.max_headers = max_headers
    return DeadlineProtocol
