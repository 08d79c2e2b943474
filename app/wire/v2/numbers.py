"""Fast reading of JSON tensors of numbers, without a Python object per number.

The lists of numbers are cut out of the document and read by simdjson. The rest of the document is
small and is validated as usual. Anything unusual makes `cut` or `read` return None; then the
regular parser reads the whole document and reports all errors. Both accept the same documents and
return the same numbers, which `tests/app/wire/v2/test_requests.py` verifies.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import simdjson

from app.schemas.v2 import RequestInput
from app.wire.v2.datatypes import DTYPES, Array

_KEY = b'"data"'
_BLANK = b" \t\r\n"
#: Characters of numbers and whitespace; removing them leaves the brackets and commas.
_DIGITS = b"0123456789+-.eE" + _BLANK
#: With more lists than this, each is short, and the regular parser is as fast.
_MAX_LISTS = 1000

#: Kind of number -> simdjson's and NumPy's name of the 64-bit type.
_BUFFERS: dict[str, tuple[Literal["d", "i", "u"], str]] = {
    "f": ("d", "<f8"),
    "i": ("i", "<i8"),
    "u": ("u", "<u8"),
}


@dataclass(frozen=True)
class Cut:
    """A document in which the i-th list of numbers is replaced by the number i, and the lists."""

    document: bytes
    lists: list[bytes]


def cut(body: bytes) -> Cut | None:
    """Cut out the values of all keys "data".

    Return None unless every value is a list and the rest of the document has no escapes. Without
    escapes, `"data"` before a colon is certainly a key. A list of numbers contains no strings or
    objects, so it ends before the next quote or closing brace.
    """
    parts: list[bytes] = []
    lists: list[bytes] = []
    done = 0
    at = body.find(_KEY)
    while at >= 0:
        after = at + len(_KEY)
        colon = _skip_blanks(body, after)
        if body[colon : colon + 1] != b":":
            at = body.find(_KEY, after)  # a value, such as the name of a tensor
            continue
        start = _skip_blanks(body, colon + 1)
        if body[start : start + 1] != b"[" or len(lists) == _MAX_LISTS:
            return None
        quote = body.find(b'"', start)
        quote = len(body) if quote < 0 else quote
        brace = body.find(b"}", start, quote)
        end = body.rfind(b"]", start, quote if brace < 0 else brace) + 1
        if not end:
            return None
        parts += [body[done:start], b"%d" % len(lists)]
        lists.append(body[start:end])
        done = end
        at = body.find(_KEY, done)
    parts.append(body[done:])
    if not lists or any(b"\\" in part for part in parts):
        return None
    return Cut(b"".join(parts), lists)


def _skip_blanks(body: bytes, at: int) -> int:
    while body[at : at + 1] and body[at : at + 1] in _BLANK:
        at += 1
    return at


def read(text: bytes, declared: RequestInput) -> Array | None:
    """Read a flat or nested list as doubles or 64-bit integers; return None if in doubt."""
    kind = DTYPES[declared.datatype].kind if declared.datatype in DTYPES else ""
    if kind not in _BUFFERS:
        return None
    if text.find(b"[", 1) >= 0 and text.translate(None, _DIGITS) != _nested(declared.shape, text):
        return None
    letter, dtype = _BUFFERS[kind]
    try:
        # A new parser each time: a shared one would keep the memory of its largest document.
        found = simdjson.Parser().parse(text)
        if not isinstance(found, simdjson.Array):
            return None
        values = np.frombuffer(found.as_buffer(of_type=letter), dtype)
    except (ValueError, TypeError, RuntimeError):
        return None
    return values if values.size == math.prod(declared.shape) else None


def _nested(shape: list[int], text: bytes) -> bytes:
    """Return the brackets and commas of a nested list; b"" if `text` is too short to hold it."""
    if math.prod(shape) > len(text):
        return b""
    structure = b""
    for length in reversed(shape):
        structure = b"[" + b",".join([structure] * length) + b"]"
    return structure
