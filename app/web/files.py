"""The files of the web pages, read once at the start. No other file can be served."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

STATIC = Path(__file__).with_name("static")
#: Route -> file of the page.
PAGES = {"/": "index.html", "/docs": "docs.html"}

MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".svg": "image/svg+xml",
    ".md": "text/markdown; charset=utf-8",
}


@dataclass(frozen=True)
class StaticFile:
    """Body and headers of one file."""

    body: bytes
    media_type: str
    etag: str


def read_files(folder: Path = STATIC) -> dict[str, StaticFile]:
    """Return all files below the folder by their relative path, with slashes."""
    return {
        path.relative_to(folder).as_posix(): _read(path)
        for path in sorted(folder.rglob("*"))
        if path.suffix in MEDIA_TYPES
    }


def _read(path: Path) -> StaticFile:
    body = path.read_bytes()
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    return StaticFile(body, MEDIA_TYPES[path.suffix], etag)
