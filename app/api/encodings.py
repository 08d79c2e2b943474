"""Content codings (RFC 9110, section 8.4.1): compressed bodies in both directions."""

from __future__ import annotations

import asyncio
import gzip
import zlib

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.messages import Headers
from app.errors import MalformedBody, ServiceError, UnsupportedMediaType

#: Coding -> the format as `zlib` numbers it. "deflate" is the zlib format.
FORMATS = {"gzip": 31, "x-gzip": 31, "deflate": 15}
#: Up to this many bytes are unpacked on the event loop; more of them in a thread, a piece at a time.
INLINE_BYTES = 64 * 1024
PIECE_BYTES = 1024 * 1024
#: Headers that are true of the packed body only.
_OF_PACKED = (b"content-encoding", b"content-length")
#: Shorter answers do not get shorter.
MIN_BYTES = 1024


class ContentDecoding:
    """Unpacks bodies as they arrive.

    It belongs outside of the body limit, which then counts the unpacked bytes: a small body that
    unpacks into a huge one is refused when it has reached the limit, not when it is there.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http":
            for name, value in scope["headers"]:
                if name == b"content-encoding":
                    receive = _decoded(scope, receive, value.decode("latin-1"))
                    break
        await self._app(scope, receive, send)


def _decoded(scope: Scope, receive: Receive, coding: str) -> Receive:
    """Make the request as if it had come unpacked: how long its body is then, nobody knows yet.

    In place: whoever counts requests finds the route in the scope that it handed on.
    """
    codings = [name for name, _ in scope["headers"] if name == b"content-encoding"]
    coding = coding.strip().lower()
    if coding in FORMATS and len(codings) == 1:
        receive = _Unpacking(receive, coding).receive
    elif coding != "identity" or len(codings) > 1:
        receive = _refusing(coding)
    else:
        return receive
    scope["headers"] = [each for each in scope["headers"] if each[0] not in _OF_PACKED]
    return receive


def _refusing(coding: str) -> Receive:
    """Fails when the body is asked for, so that strangers are told that they are, first."""

    async def receive() -> Message:
        raise UnsupportedMediaType(
            f"content coding {coding[:64]!r} is not accepted, send gzip, deflate or nothing"
        )

    return receive


class _Unpacking:
    """One compressed body."""

    def __init__(self, receive: Receive, coding: str) -> None:
        self._receive = receive
        self._coding = coding
        self._unpacker = zlib.decompressobj(FORMATS[coding])
        self._packed = b""
        self._more_comes = True
        self._failure: ServiceError | None = None

    async def receive(self) -> Message:
        """The next unpacked piece."""
        if self._failure is not None:
            raise self._failure
        if not self._more_comes and not self._packed:
            return await self._receive()  # a disconnect
        limit = PIECE_BYTES
        if not self._packed:
            message = await self._receive()
            if message["type"] != "http.request":
                return message
            self._packed = message.get("body", b"")
            self._more_comes = message.get("more_body", False)
            limit = INLINE_BYTES
        try:
            piece = await self._unpack(limit)
            more = self._more_comes or bool(self._packed)
            if not more and not self._unpacker.eof:
                raise MalformedBody(f"the {self._coding} body ends too early")
        except ServiceError as error:
            self._failure = error
            raise
        return {"type": "http.request", "body": piece, "more_body": more}

    async def _unpack(self, limit: int) -> bytes:
        unpacker = self._unpacker
        try:
            if limit == INLINE_BYTES:
                piece = unpacker.decompress(self._packed, limit)
            else:
                piece = await asyncio.to_thread(unpacker.decompress, self._packed, limit)
        except zlib.error as error:
            raise MalformedBody(f"the body is not {self._coding}: {error}") from None
        self._packed = unpacker.unconsumed_tail
        if unpacker.unused_data:
            raise MalformedBody(f"there are bytes after the end of the {self._coding} body")
        return piece


def coding_of_answer(headers: Headers) -> str | None:
    """The coding that a client asks for: the one that it names, if it names one.

    Libraries send lists of all that they can unpack with every request. Packing takes longer than
    predicting, so that is not taken as a wish.
    """
    wanted = []
    for part in headers.get(b"accept-encoding", b"").decode("latin-1").lower().split(","):
        coding, _, options = part.partition(";")
        weight = options.strip().replace(" ", "")
        if coding.strip() not in ("", "identity") and weight not in ("q=0", "q=0.0", "q=0.00"):
            wanted.append(coding.strip())
    return wanted[0] if len(wanted) == 1 and wanted[0] in ("gzip", "deflate") else None


def packed(body: bytes, coding: str) -> bytes:
    """A body in that coding, fast rather than small."""
    return gzip.compress(body, 1, mtime=0) if coding == "gzip" else zlib.compress(body, 1)
