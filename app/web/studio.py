"""Serves the pages (`GET /`, `GET /docs`) and their files.

The files contain no data, so no API key is needed. The endpoint is a plain ASGI application.
"""

from __future__ import annotations

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from app.web.files import PAGES, StaticFile, read_files

#: Allow scripts, styles and requests of this server only; a string cannot become a script.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "worker-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types studio",
    )
)
#: `no-cache`: browsers revalidate their copy every time, so no old script runs after an upgrade.
_HEADERS = (
    (b"cache-control", b"no-cache"),
    (b"content-security-policy", POLICY.encode()),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


class Files:
    """An ASGI application that serves files."""

    def __init__(self, files: dict[str, StaticFile], route: str) -> None:
        self._files = files
        self.path = route  # the label `route` of the metrics

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Send the file, or 304 if the client's copy is current."""
        scope["route"] = self
        found = self._files.get(scope["path_params"].get("path", PAGES.get(self.path)))
        if found is None:
            raise HTTPException(404, "There is no such file.")
        headers = [*_HEADERS, (b"etag", found.etag.encode())]
        if _has(scope, found.etag):
            await send({"type": "http.response.start", "status": 304, "headers": headers})
            await send({"type": "http.response.body"})
            return
        headers.append((b"content-type", found.media_type.encode()))
        headers.append((b"content-length", str(len(found.body)).encode()))
        body = b"" if scope["method"] == "HEAD" else found.body
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def _has(scope: Scope, etag: str) -> bool:
    """Whether the client has a copy with this tag (RFC 9110, section 13.1.2)."""
    given = b",".join(value for name, value in scope["headers"] if name == b"if-none-match")
    tags = {tag.strip().removeprefix("W/") for tag in given.decode("latin-1").split(",")}
    return etag in tags or "*" in tags


def studio_router() -> APIRouter:
    """Return the routes of the pages and their files."""
    files = read_files()
    return APIRouter(
        routes=[
            Route(path, Files(files, path), methods=["GET"], include_in_schema=False)
            for path in (*PAGES, "/studio/{path:path}")
        ]
    )
