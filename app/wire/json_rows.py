"""Fast reading of the rows of a JSON body by simdjson.

This module reads only a field `X` that is certainly a matrix of numbers, and returns None for
anything else. The regular parser then reads the whole body, so it alone defines which bodies are
accepted and which errors are reported. tests/app/wire/test_json_rows.py compares both on documents
that are designed to mislead this module.

Procedure: the text of `X` is cut out and replaced by a secret random token. The regular parser
reads the rest, which is small. If it returns the token as the value of `X`, then the text that was
cut out is that value, no matter what else the body contains: repeated keys, escapes, other objects
with a field `X`. In addition, simdjson must read the text as an array of numbers, and the number of
brackets must be that of a matrix.
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

#: Up to this many bytes, the regular parser is as fast.
SMALL_BYTES = 2048
#: Size of the pieces of a large text. Other threads can run between two pieces, because simdjson
#: does not release the interpreter lock.
PIECE_BYTES = 128 * 1024
#: Up to this many bytes, a text is read as a whole, because pieces must be copied.
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
    """One parser per thread, because a parser holds only one document at a time."""

    def __init__(self) -> None:
        self.parser = simdjson.Parser()


_local = _PerThread()


def parse_with_rows(body: bytes | bytearray) -> dict[str, Any] | None:
    """Parse a body like the regular parser, but with `X` as a `Table`; return None if in doubt."""
    if len(body) <= SMALL_BYTES:
        return None
    name = body.find(_NAME)
    colon = _COLON.match(body, name + len(_NAME)) if name >= 0 else None
    if colon is None:
        return None
    start = colon.end()
    quote = body.find(b'"', start)  # a matrix has no quotes: this is the next field or the end
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
    """Read text[start:end] as a matrix of finite numbers; return None if it is not one."""
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
    """Read a text such as `[[1,2],[3,4]]` as a matrix; return None if it is not one.

    simdjson flattens nested arrays. Therefore all rows must have the same length, and the number of
    opening brackets must be the number of rows plus 1.
    """
    try:
        document = _local.parser.parse(matrix)
        assert isinstance(document, simdjson.Array)
        widths = list(map(len, document))  # type: ignore[arg-type]  # TypeError: not a row
        numbers: Matrix = np.frombuffer(document.as_buffer(of_type="d"))  # copies the numbers
        rows, width = len(widths), widths[0]
        if not width or widths.count(width) != rows or _brackets(matrix) != rows + 1:
            return None
        return numbers.reshape(rows, width)
    except (ValueError, TypeError, RuntimeError, IndexError):
        return None


def _brackets(matrix: bytes | memoryview) -> int:
    """Count the opening brackets with NumPy; `bytes.count` is slow for frequent bytes."""
    return int(np.count_nonzero(np.frombuffer(matrix, np.uint8) == _BRACKET))
