"""The short way of small predictions: answered where their last byte arrives.

A request of some kilobytes for a model that is loaded takes less time to answer than the server takes
to make a task for it and to carry messages to the application and back. So the protocol
(`app.api.protocol`) asks here first, with the whole request in hand. The endpoints are those of
`app.api.raw`, with the same keys, limits, problems, ids, log lines and metrics; whatever takes
longer, or is not theirs, goes the usual way as if nobody had asked.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from starlette.responses import Response

from app.api.bodies import EAGER_ARRAY_BYTES
from app.api.body_limit import InFlight
from app.api.messages import Headers
from app.api.raw import Opening, PathParameters, RawRoute, RouteTable
from app.api.recording import Recorder, id_for
from app.api.responses import BytesResponse
from app.errors import ServiceError
from app.observability.context import request_id

#: Where the application leaves the fast path for the protocol, in the state of its lifespan.
FAST_PATH = "frtsvm.fast_path"
#: Longer bodies go the usual way from their first byte, with flow control.
MAX_BYTES = 4 * 1024 * 1024
#: Bytes of all bodies together that have begun to arrive; one that does not fit goes the usual way.
MAX_HELD = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class FastPathRequest:
    """A request that may take the short way, without its body."""

    path: str
    headers: Headers
    route: RawRoute
    parameters: PathParameters


@dataclass(frozen=True, slots=True)
class Answered:
    """Status, headers and body of an answer."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


class FastPath:
    """Finds requests that may go this way, and answers those that can."""

    def __init__(
        self, table: RouteTable, recorder: Recorder, max_body_bytes: int, in_flight: InFlight
    ) -> None:
        self._table = table
        self._recorder = recorder
        self._max_bytes = min(MAX_BYTES, max_body_bytes)
        self._in_flight = in_flight
        self._held = 0

    def request_for(self, path: str, headers: Headers) -> FastPathRequest | None:
        """Whether a POST may go this way, by its path and headers."""
        found = self._table.find(path)
        if found is None or b"content-encoding" in headers or b"transfer-encoding" in headers:
            return None
        length = headers.get(b"content-length", b"")
        if not (length.isdigit() and len(length) < 10 and 0 < int(length) <= self._max_bytes):
            return None
        return FastPathRequest(path, headers, *found)

    def hold(self, size: int) -> bool:
        """Whether that many bytes more of a body may be held; who gets a yes lets go of them."""
        if self._held + size > MAX_HELD or not self._in_flight.take(size):
            return False
        self._held += size
        return True

    def release(self, size: int) -> None:
        """They are held no longer."""
        self._held -= size
        self._in_flight.give_back(size)

    def answer(self, request: FastPathRequest, server: str, body: bytes) -> Answered | None:
        """The answer, or None if it takes longer than this way is for."""
        if len(body) > EAGER_ARRAY_BYTES:
            return None
        started = time.perf_counter()
        identifier = id_for(request.headers.get(b"x-request-id"))
        token = request_id.set(identifier)
        try:
            response = self._respond(request, server, body)
            if response is None:
                return None
            seconds = time.perf_counter() - started
            status, route = response.status_code, request.route.path
            self._recorder.record("POST", request.path, route, status, seconds)
        finally:
            request_id.reset(token)
        headers = [
            *response.raw_headers,
            (b"x-request-id", identifier.encode()),
            (b"x-content-type-options", b"nosniff"),
        ]
        if isinstance(response, BytesResponse):
            pieces = response.pieces
            return Answered(status, headers, pieces[0] if len(pieces) == 1 else b"".join(pieces))
        return Answered(status, headers, bytes(response.body))

    def _respond(self, request: FastPathRequest, server: str, body: bytes) -> Response | None:
        endpoint = request.route.endpoint
        try:
            opening = Opening(server, request.headers, b"", request.parameters)
            found = endpoint.at_once(endpoint.admit(opening), body)
        except ServiceError as error:
            return request.route.respond(error)
        except Exception:
            return None  # the usual way meets it again, and reports it
        return found if isinstance(found, Response) else None
