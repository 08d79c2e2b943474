"""uvicorn protocol that holds fast-path requests until they are complete, and then responds."""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from app.api.body_limit import body_timeout_error
from app.api.deadline import DeadlineProtocol
from app.api.fast_path import FAST_PATH, FastPath, FastPathRequest, FastPathResponse
from app.api.problems import problem_of

#: Maximum number of fast-path requests in one packet, because other connections wait meanwhile.
#: Further requests go to the ASGI application.
MAX_PER_PACKET = 8


class FastPathProtocol(DeadlineProtocol):
    """Tries the fast path before it starts an ASGI task for a request."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._fast_path: FastPath | None = self.app_state.get(FAST_PATH)
        self._held_request: FastPathRequest | None = None
        self._pieces: list[bytes] = []
        self._held = 0
        self._n_responses = 0

    def data_received(self, data: bytes) -> None:
        """Process a packet, which may contain several requests."""
        self._n_responses = 0
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Release the held body."""
        self._take_body()
        super().connection_lost(exc)

    def begin_request(self) -> None:
        """Hold the request if it is eligible for the fast path."""
        self._held_request = self._fast_path_request()
        if self._held_request is None:
            super().begin_request()
        else:
            self.set_deadline(self.body_timeout)

    def on_body(self, body: bytes) -> None:
        """Add a piece to the held body, or forward the request if `reserve` refuses the piece."""
        if self._held_request is None:
            super().on_body(body)
            return
        assert self._fast_path is not None
        if self._fast_path.reserve(len(body)):
            self._pieces.append(body)
            self._held += len(body)
        else:
            self._forward(self._take_body())
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Respond to a held request, or forward it to the ASGI application."""
        request = self._held_request
        if request is not None:
            server = self.server[0] if self.server else ""
            assert self._fast_path is not None
            body = self._take_body()
            response = self._fast_path.try_respond(request, server, body)
            if response is not None:
                self._held_request = None
                self._write(response)
                return
            self._forward(body)
        super().on_message_complete()

    def shutdown(self) -> None:
        """Forward a partially received request, so that it still gets its response."""
        if self._held_request is not None:
            self._forward(self._take_body())
        super().shutdown()

    def deadline_expired(self) -> None:
        """Respond with 408 if the body of a held request is incomplete."""
        if self._held_request is not None and not self.transport.is_closing():
            self._held_request = None
            self.refuse(problem_of(body_timeout_error(self.body_timeout)))
        else:
            super().deadline_expired()

    def _fast_path_request(self) -> FastPathRequest | None:
        """Return the current request if the fast path may serve it, else None.

        The connection must stay open afterwards, have no other request in progress and not be
        paused for writing.
        """
        if (
            self._fast_path is None
            or self.parser.get_method() != b"POST"
            or self.parser.get_http_version() != "1.1"
            or not self.parser.should_keep_alive()
            or self.parser.should_upgrade()
            or self.expect_100_continue
            or self.flow.write_paused
            or self._n_responses >= MAX_PER_PACKET
            or not (self.cycle is None or self.cycle.response_complete)
        ):
            return None
        path = self.url.decode("latin-1")
        return self._fast_path.request_for(path, dict(reversed(self.headers)))

    def _take_body(self) -> bytes:
        """Return the held body and release its bytes."""
        if self._fast_path is not None:
            self._fast_path.release(self._held)
        pieces, self._pieces, self._held = self._pieces, [], 0
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _forward(self, body: bytes) -> None:
        """Hand the held request to the ASGI application, as if it had not been held."""
        self._held_request = None
        super().begin_request()
        if body:
            super().on_body(body)

    def _write(self, response: FastPathResponse) -> None:
        head = [STATUS_LINE[response.status]]
        for name, value in self.server_state.default_headers + response.headers:
            head += (name, b": ", value, b"\r\n")
        head += (b"\r\n", response.body)
        self.transport.write(b"".join(head))
        self._n_responses += 1
        self.server_state.total_requests += 1
        # This deadline replaces the keep-alive timer that uvicorn creates after each response.
        self.set_deadline(self.timeout_keep_alive)
