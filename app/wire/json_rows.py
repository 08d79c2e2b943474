"""The rows of a JSON body by simdjson: an accelerator, never the judge.

`pydantic` is the contract. This module reads what is beyond doubt, a field `X` that is a matrix of
numbers, and answers None for everything else; then the usual parser reads the whole body, and what it
accepts, refuses and says is all that a caller ever sees. A test compares the two on documents made
to trip this one up.

How: the text of `X` is cut out and replaced by a token that no caller can know. What is left is small
and goes through the usual parser; if the token comes back as the value of `X`, then the text that
was cut out is that value, whatever else the body holds: repeated keys, escapes, other objects with an
`X`. The text itself must be a matrix of numbers to simdjson, and have the brackets of one.
"""

from __future__ import annotations

import re
import secrets
import threading
from typing import Any

import numpy as np
import simdjson
from numpy.typing import NDArray
from pydantic_core import from_json

from app.schemas.table import Table

#: Up to this many bytes the usual parser is as fast.
SMALL_BYTES = 2048
#: Larger texts are read in pieces, between which other threads get their turn: simdjson itself does
#: not let go of the interpreter.
PIECE_BYTES = 128 * 1024
#: Up to this many bytes that is not worth the copies.
WHOLE_BYTES = 512 * 1024

_TOKEN = secrets.token_hex(16)
_QUOTED_TOKEN = f'"{_TOKEN}"'.encode()
_NAME = b'"X"'
_COLON = re.compile(rb"[ \t\r\n]*:[ \t\r\n]*(?=\[)")
_BETWEEN_ROWS = re.compile(rb"[ \t\r\n]*,[ \t\r\n]*(?=\[)")
_OPENING = re.compile(rb"\[[ \t\r\n]*(?=\[)")
_CLOSING = re.compile(rb"[ \t\r\n]*\]")
_BRACKET = ord("[")

Matrix = NDArray[np.float64]


class _PerThread(threading.local):
    """A parser holds one document at a time, so every thread has its own."""

    def __init__(self) -> None:
        self.parser = simdjson.Parser()


_local = _PerThread()


def parse_with_rows(body: bytes | bytearray) -> dict[str, Any] | None:
    """What the usual parser makes of a body, but with `X` as a `Table`; None if in doubt."""
    if len(body) <= SMALL_BYTES:
        return None
    name = body.find(_NAME)
    colon = _COLON.match(body, name + len(_NAME)) if name >= 0 else None
    if colon is None:
        return None
    start = colon.end()
    quote = body.find(b'"', start)  # a matrix of numbers has none: the next field, or the end
    end = body.rfind(b"]", start, len(body) if quote < 0 else quote) + 1
    if end <= start:
        return None
    numbers = read_matrix(body, start, end)
    if numbers is None:
        return None
    try:
        value = from_json(body[:start] + _QUOTED_TOKEN + body[end:], cache_strings="keys")
    except ValueError:
        return None
    if not isinstance(value, dict) or value.get("X") != _TOKEN:
        return None
    value["X"] = Table(numbers)
    return value


def read_matrix(text: bytes | bytearray, start: int, end: int) -> Matrix | None:
    """The matrix of finite numbers that is written in text[start:end]; None if it is not one."""
    if end - start <= WHOLE_BYTES:
        return _read_rows(memoryview(text)[start:end])
    opening = _OPENING.match(text, start, end)
    if opening is None:
        return None
    pieces: list[Matrix] = []
    at = opening.end()
    while True:
        stop = text.find(b"]", min(at + PIECE_BYTES, end - 2), end) + 1
        if stop == end:  # the bracket of the matrix, not of its last row
            stop = text.rfind(b"]", at, end - 1) + 1
        piece = _read_rows(b"".join((b"[", text[at:stop], b"]"))) if stop > at else None
        if piece is None or piece.shape[1] != (pieces or [piece])[0].shape[1]:
            return None
        pieces.append(piece)
        following = _BETWEEN_ROWS.match(text, stop, end)
        if following is None:
            break
        at = following.end()
    closing = _CLOSING.match(text, stop, end)
    if closing is None or closing.end() != end:
        return None
    return np.concatenate(pieces)


def _read_rows(matrix: bytes | memoryview) -> Matrix | None:
    """A matrix as it stands, `[[1,2],[3,4]]`.

    simdjson flattens whatever is nested. So all rows must have the same length, and there must be as
    many brackets as it takes to enclose them and no more.
    """
    try:
        document = _local.parser.parse(matrix)
        assert isinstance(document, simdjson.Array)
        widths = list(map(len, document))  # type: ignore[arg-type]  # TypeError: no row
        numbers: Matrix = np.frombuffer(document.as_buffer(of_type="d"))  # a copy of its own
        rows, width = len(widths), widths[0]
        if not width or widths.count(width) != rows or _brackets(matrix) != rows + 1:
            return None
        return numbers.reshape(rows, width)
    except (ValueError, TypeError, RuntimeError, IndexError):
        return None


def _brackets(matrix: bytes | memoryview) -> int:
    """How many open; by NumPy, because `bytes.count` stops at each."""
    return int(np.count_nonzero(np.frombuffer(matrix, np.uint8) == _BRACKET))
