"""Raw HTTP requests, for bytes that no client library would send."""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass


def request(
    method: str,
    path: str,
    body: bytes = b"",
    headers: Mapping[str, str] | None = None,
    kind: str = "application/json",
) -> bytes:
    """Build a well-formed request with any body."""
    fields = {"Host": "127.0.0.1", "Connection": "close"}
    if method in ("POST", "PUT"):
        fields |= {"Content-Type": kind, "Content-Length": str(len(body))}
    fields |= headers or {}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + body


@dataclass(frozen=True)
class Reply:
    """Response to a raw request."""

    status: int
    """0 if the connection was closed without a response."""
    head: bytes
    body: bytes
    seconds: float
    hung: bool
    """Whether the server neither sent a complete response nor closed the connection."""


def send(port: int, raw: bytes, patience: float = 10.0) -> Reply:
    """Send raw bytes, and read until the response is complete or the connection is closed."""
    began = time.monotonic()
    received, hung = b"", False
    with socket.create_connection(("127.0.0.1", port), timeout=patience) as connection:
        try:
            connection.sendall(raw)
            while not _is_complete(received):
                connection.settimeout(max(0.01, began + patience - time.monotonic()))
                piece = connection.recv(65536)
                if not piece:
                    break
                received += piece
        except TimeoutError:
            hung = True
        except (ConnectionResetError, BrokenPipeError):
            received += _rest(connection)
    head, _, body = received.partition(b"\r\n\r\n")
    words = head.split(b" ", 2)
    status = int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
    return Reply(status, head, body, time.monotonic() - began, hung)


def _rest(connection: socket.socket) -> bytes:
    """Read the bytes that had arrived before the connection was reset."""
    try:
        connection.settimeout(0.5)
        return connection.recv(65536)
    except OSError:
        return b""


def _is_complete(received: bytes) -> bool:
    """Whether a final response, not `100 Continue`, has arrived completely."""
    head, found, body = received.partition(b"\r\n\r\n")
    if not found or b" 100 " in head.split(b"\r\n")[0]:
        return False
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return len(body) >= int(line.split(b":")[1])
    return b" 204 " in head.split(b"\r\n")[0]
