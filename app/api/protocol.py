"""The protocol of the web server: requests that may take the short way are held until complete."""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from app.api.body_limit import too_slow
from app.api.deadline import DeadlineProtocol
from app.api.fast_path import FAST_PATH, Answered, FastPath, FastPathRequest
from app.api.problems import problem_of

#: Requests that one packet may bring for the short way: others wait meanwhile.
MAX_AT_A_TIME = 8


class FastPathProtocol(DeadlineProtocol):
    """Asks the fast path before it makes a task for a request."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._fast_path: FastPath | None = self.app_state.get(FAST_PATH)
        self._held_request: FastPathRequest | None = None
        self._pieces: list[bytes] = []
        self._held = 0
        self._answered = 0

    def data_received(self, data: bytes) -> None:
        """A packet; there may be several requests in it."""
        self._answered = 0
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody will want what is held."""
        self._taken()
        super().connection_lost(exc)

    def begin_request(self) -> None:
        """Hold it if it may take the short way."""
        self._held_request = self._fast_path_request()
        if self._held_request is None:
            super().begin_request()
        else:
            self.set_deadline(self.body_timeout)

    def on_body(self, body: bytes) -> None:
        """Hold it together."""
        if self._held_request is None:
            super().on_body(body)
            return
        assert self._fast_path is not None
        if self._fast_path.hold(len(body)):
            self._pieces.append(body)
            self._held += len(body)
        else:
            self._release(self._taken())
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Answer, or let it go the usual way."""
        request = self._held_request
        if request is not None:
            server = self.server[0] if self.server else ""
            assert self._fast_path is not None
            body = self._taken()
            answered = self._fast_path.answer(request, server, body)
            if answered is not None:
                self._held_request = None
                self._write(answered)
                return
            self._release(body)
        super().on_message_complete()

    def shutdown(self) -> None:
        """A request of which a part is here is still answered."""
        if self._held_request is not None:
            self._release(self._taken())
        super().shutdown()

    def out_of_time(self) -> None:
        """The rest of a held request has not come."""
        if self._held_request is not None and not self.transport.is_closing():
            self._held_request = None
            self.refuse(problem_of(too_slow(self.body_timeout)))
        else:
            super().out_of_time()

    def _fast_path_request(self) -> FastPathRequest | None:
        """The way is free if the connection goes on afterwards, and nothing is under way on it."""
        if (
            self._fast_path is None
            or self.parser.get_method() != b"POST"
            or self.parser.get_http_version() != "1.1"
            or not self.parser.should_keep_alive()
            or self.parser.should_upgrade()
            or self.expect_100_continue
            or self.flow.write_paused
            or self._answered >= MAX_AT_A_TIME
            or not (self.cycle is None or self.cycle.response_complete)
        ):
            return None
        path = self.url.decode("latin-1")
        return self._fast_path.request_for(path, dict(reversed(self.headers)))

    def _taken(self) -> bytes:
        """What was held, which is no longer counted."""
        if self._fast_path is not None:
            self._fast_path.release(self._held)
        pieces, self._pieces, self._held = self._pieces, [], 0
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _release(self, body: bytes) -> None:
        """As if it had not been held."""
        self._held_request = None
        super().begin_request()
        if body:
            super().on_body(body)

    def _write(self, answered: Answered) -> None:
        head = [STATUS_LINE[answered.status]]
        for name, value in self.server_state.default_headers + answered.headers:
            head += (name, b": ", value, b"\r\n")
        head += (b"\r\n", answered.body)
        self.transport.write(b"".join(head))
        self._answered += 1
        self.server_state.total_requests += 1
        # uvicorn sets a timer for each idle time; the one alarm of the connection will do.
        self.set_deadline(self.timeout_keep_alive)
