"""Content codings (RFC 9110, section 8.4.1): compressed request and response bodies."""

from __future__ import annotations

import asyncio
import gzip
import zlib

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.messages import Headers
from app.errors import MalformedBody, ServiceError, UnsupportedMediaType

#: Coding -> `wbits` of `zlib.decompressobj`. "deflate" is the zlib format.
FORMATS = {"gzip": 31, "x-gzip": 31, "deflate": 15}
#: Of each received piece, this many decompressed bytes are produced on the event loop. The rest is
#: decompressed in a thread, `PIECE_BYTES` at a time.
INLINE_BYTES = 64 * 1024
PIECE_BYTES = 1024 * 1024
#: Headers that describe the compressed body only.
_BODY_HEADERS = (b"content-encoding", b"content-length")
#: Shorter responses are not compressed: they would hardly become smaller.
MIN_BYTES = 1024


class ContentDecoding:
    """Decompresses request bodies as they arrive.

    This middleware must wrap `BodyLimit`, which then counts the decompressed bytes and refuses a
    decompression bomb as soon as it reaches the limit.
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
    """Return a `receive` that decompresses, and remove the headers of the compressed body.

    The length of the decompressed body is unknown. `scope` is changed in place, because the outer
    layers read the matched route from this very object.
    """
    codings = [name for name, _ in scope["headers"] if name == b"content-encoding"]
    coding = coding.strip().lower()
    if coding in FORMATS and len(codings) == 1:
        receive = _DecompressingReceiver(receive, coding).receive
    elif coding != "identity" or len(codings) > 1:
        receive = _refusing(coding)
    else:
        return receive
    scope["headers"] = [each for each in scope["headers"] if each[0] not in _BODY_HEADERS]
    return receive


def _refusing(coding: str) -> Receive:
    """Return a `receive` that raises, so that the check of the API key comes before this error."""

    async def receive() -> Message:
        raise UnsupportedMediaType(
            f"The content coding {coding[:64]!r} is not supported. "
            "Send gzip, deflate or an uncompressed body."
        )

    return receive


class _DecompressingReceiver:
    """Receives one compressed body and decompresses it."""

    def __init__(self, receive: Receive, coding: str) -> None:
        self._receive = receive
        self._coding = coding
        self._decompressor = zlib.decompressobj(FORMATS[coding])
        self._compressed = b""
        self._more_comes = True
        self._failure: ServiceError | None = None

    async def receive(self) -> Message:
        """Receive the next decompressed piece."""
        if self._failure is not None:
            raise self._failure
        if not self._more_comes and not self._compressed:
            return await self._receive()  # a disconnect
        limit = PIECE_BYTES
        if not self._compressed:
            message = await self._receive()
            if message["type"] != "http.request":
                return message
            self._compressed = message.get("body", b"")
            self._more_comes = message.get("more_body", False)
            limit = INLINE_BYTES
        try:
            piece = await self._decompress(limit)
            more = self._more_comes or bool(self._compressed)
            if not more and not self._decompressor.eof:
                raise MalformedBody(
                    f"The body ends before the end of the {self._coding} data. Send it again."
                )
        except ServiceError as error:
            self._failure = error
            raise
        return {"type": "http.request", "body": piece, "more_body": more}

    async def _decompress(self, limit: int) -> bytes:
        decompressor = self._decompressor
        try:
            if limit == INLINE_BYTES:
                piece = decompressor.decompress(self._compressed, limit)
            else:
                piece = await asyncio.to_thread(decompressor.decompress, self._compressed, limit)
        except zlib.error as error:
            raise MalformedBody(f"The body is not valid {self._coding} data ({error}).") from None
        self._compressed = decompressor.unconsumed_tail
        if decompressor.unused_data:
            raise MalformedBody(
                f"The body has bytes after the end of the {self._coding} data. "
                "Send a single compressed member."
            )
        return piece


def response_coding(headers: Headers) -> str | None:
    """Return the content coding to apply to the response, or None.

    A response is compressed only if `Accept-Encoding` names exactly one coding. Libraries list
    every coding that they support with each request; that is not taken as a wish, because
    compressing takes longer than predicting.
    """
    wanted = []
    for part in headers.get(b"accept-encoding", b"").decode("latin-1").lower().split(","):
        coding, _, options = part.partition(";")
        weight = options.strip().replace(" ", "")
        if coding.strip() not in ("", "identity") and weight not in ("q=0", "q=0.0", "q=0.00"):
            wanted.append(coding.strip())
    return wanted[0] if len(wanted) == 1 and wanted[0] in ("gzip", "deflate") else None


def compress(body: bytes, coding: str) -> bytes:
    """Compress a body at level 1, the fastest."""
    return gzip.compress(body, 1, mtime=0) if coding == "gzip" else zlib.compress(body, 1)
