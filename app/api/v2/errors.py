"""Error responses under /v2: `{"error": "..."}`, as the protocol's clients expect."""

from __future__ import annotations

from typing import Any

import orjson
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app import errors
from app.api.handlers import respond_to
from app.api.problems import MEDIA_TYPE, STATUS

_JSON = "application/json"
_PREFIX = "/v2"
#: Headers of a problem that do not hold for the rewritten body.
_REPLACED = b"content-type", b"content-length"


class ProtocolErrors:
    """Outermost layer: rewrites the problem responses of all inner layers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http" and is_protocol_path(scope["path"]):
            send = _Rewriting(send).send
        await self._app(scope, receive, send)


def is_protocol_path(path: str) -> bool:
    """Return whether a path belongs to the inference protocol."""
    return path == _PREFIX or path.startswith(_PREFIX + "/")


class _Rewriting:
    """Collects a problem response and rewrites it; passes on any other response unchanged."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._body = b""

    async def send(self, message: Message) -> None:
        """Pass a message on, or hold it until the problem is complete."""
        if message["type"] == "http.response.start":
            if (b"content-type", MEDIA_TYPE.encode()) in message["headers"]:
                self._start = message
                return
        elif self._start is not None:
            self._body += message.get("body", b"")
            if message.get("more_body", False):
                return
            start, self._start = self._start, None
            body = orjson.dumps({"error": _sentence(self._body)})
            kept = [(k, v) for k, v in start["headers"] if k not in _REPLACED]
            head = [(b"content-type", _JSON.encode()), (b"content-length", b"%d" % len(body))]
            await self._send({**start, "headers": head + kept})
            message = {"type": "http.response.body", "body": body}
        await self._send(message)


def respond_to_protocol(error: errors.ServiceError) -> Response:
    """Return the response to a service error in the form of the protocol."""
    found = respond_to(error)
    kept = {key: value for key, value in found.headers.items() if key.encode() not in _REPLACED}
    body = orjson.dumps({"error": _sentence(bytes(found.body))})
    return Response(body, found.status_code, kept, media_type=_JSON)


def _sentence(problem: bytes) -> str:
    """Return the detail of a problem, or an empty string for the empty body of a HEAD response."""
    return str(orjson.loads(problem)["detail"]) if problem else ""


def documented(*kinds: type[errors.ServiceError]) -> dict[int | str, dict[str, Any]]:
    """Return the part of `responses=` that describes the errors that a route can return."""
    by_status: dict[int, list[str]] = {}
    for kind in kinds:
        by_status.setdefault(STATUS[kind], []).append((kind.__doc__ or "").strip().split("\n")[0])
    return {
        status: {
            "description": " ".join(descriptions),
            "content": {_JSON: {"schema": {"$ref": "#/components/schemas/ProtocolError"}}},
        }
        for status, descriptions in sorted(by_status.items())
    }


_COMMON = (
    errors.NotAuthenticated,
    errors.NotPermitted,
    errors.InvalidRequest,
    errors.StoreUnavailable,
)
_BODY = (
    errors.MalformedBody,
    errors.BodyTooSlow,
    errors.BodyTooLarge,
    errors.UnsupportedMediaType,
    errors.TooManyBytesInFlight,
)
_VERSION = (errors.ModelNotFound, errors.VersionNotFound)
_DATA = (errors.DataTooLarge, errors.FeatureMismatch, errors.ArtifactDamaged)
READ = documented(*_COMMON, errors.ModelNotFound)
READ_VERSION = documented(*_COMMON, *_VERSION)
LOAD = documented(*_COMMON, errors.ModelNotFound, errors.ArtifactDamaged)
LOAD_VERSION = documented(*_COMMON, *_VERSION, errors.ArtifactDamaged)
INDEX = documented(*_COMMON, *_BODY)
CHANGE = documented(*_COMMON, *_BODY, errors.ModelNotFound, errors.ArtifactDamaged)
INFER = documented(*_COMMON, *_BODY, errors.ModelNotFound, *_DATA)
INFER_VERSION = documented(*_COMMON, *_BODY, *_VERSION, *_DATA)
READY = documented(errors.StoreUnavailable, errors.ShuttingDown, errors.StoreFull)
SERVER = documented(errors.NotAuthenticated, errors.NotPermitted)
STATISTICS = documented(*_COMMON)
