"""Fast path: responds to small predictions inside the protocol callback, without an ASGI task.

Predicting a few kilobytes with a loaded model takes less time than creating a task and passing
messages to the application and back (docs/decisions/0005-small-predictions-without-a-task.md has
the measurements). Therefore `app.api.protocol` tries the fast path first, as soon as the last byte
of a request has arrived. The fast path calls the endpoints of `app.api.raw`,
with the same keys, limits, problems, request ids, log lines and metrics. Every other request, and
every request that would take longer, goes to the ASGI application unchanged.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from starlette.responses import Response

from app.api.bodies import EAGER_ARRAY_BYTES
from app.api.body_limit import InFlight
from app.api.messages import Headers
from app.api.raw import PathParameters, RawRoute, RequestHead, RouteTable
from app.api.recording import Recorder, id_for
from app.api.responses import BytesResponse
from app.errors import ServiceError
from app.observability.context import request_id

#: Key in the lifespan state under which the application passes the fast path to the protocol.
FAST_PATH = "frtsvm.fast_path"
#: Longer bodies go to the ASGI application from their first byte, with flow control. Bodies between
#: `EAGER_ARRAY_BYTES` and this size are only buffered here: the application gets them in one piece.
MAX_BYTES = 4 * 1024 * 1024
#: Maximum number of bytes of all incomplete bodies together. A body that does not fit goes to the
#: ASGI application.
MAX_HELD = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class FastPathRequest:
    """A request that is eligible for the fast path, without its body."""

    path: str
    headers: Headers
    route: RawRoute
    parameters: PathParameters


@dataclass(frozen=True, slots=True)
class FastPathResponse:
    """Status, headers and body of a response."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


class FastPath:
    """Selects requests by their head, holds their bodies, and computes the responses."""

    def __init__(
        self, table: RouteTable, recorder: Recorder, max_body_bytes: int, in_flight: InFlight
    ) -> None:
        self._table = table
        self._recorder = recorder
        self._max_bytes = min(MAX_BYTES, max_body_bytes)
        self._in_flight = in_flight
        self._held = 0

    def request_for(self, path: str, headers: Headers) -> FastPathRequest | None:
        """Return the fast-path request for the head of a POST, or None if it is not eligible."""
        found = self._table.find(path)
        if found is None or b"content-encoding" in headers or b"transfer-encoding" in headers:
            return None
        length = headers.get(b"content-length", b"")
        if not (length.isdigit() and len(length) < 10 and 0 < int(length) <= self._max_bytes):
            return None
        return FastPathRequest(path, headers, *found)

    def reserve(self, size: int) -> bool:
        """Reserve memory for `size` bytes of a body and return True, or return False.

        The caller must `release` the bytes that it reserved.
        """
        if self._held + size > MAX_HELD or not self._in_flight.reserve(size):
            return False
        self._held += size
        return True

    def release(self, size: int) -> None:
        """Release bytes that `reserve` reserved."""
        self._held -= size
        self._in_flight.release(size)

    def try_respond(
        self, request: FastPathRequest, server: str, body: bytes
    ) -> FastPathResponse | None:
        """Return the response, or None if the ASGI application must respond.

        That is the case if the request takes too long here, or fails unexpectedly.
        """
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
            return FastPathResponse(
                status, headers, pieces[0] if len(pieces) == 1 else b"".join(pieces)
            )
        return FastPathResponse(status, headers, bytes(response.body))

    def _respond(self, request: FastPathRequest, server: str, body: bytes) -> Response | None:
        endpoint = request.route.endpoint
        try:
            head = RequestHead(server, request.headers, b"", request.parameters)
            found = endpoint.try_immediate(endpoint.admit(head), body)
        except ServiceError as error:
            return request.route.respond(error)
        except Exception:
            return None  # the regular path meets the error again, and reports it
        return found if isinstance(found, Response) else None
