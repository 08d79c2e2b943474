"""Predictions as JSON, written directly from arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np
import orjson

#: Rows written at a time: orjson does not release the interpreter lock while it writes.
BLOCK_ROWS = 4096


def write_answer(head: Mapping[str, Any], columns: Mapping[str, Any], n_rows: int) -> list[bytes]:
    """Write an object with the fields of `head` and one list (or null) per column, in pieces."""
    if n_rows <= BLOCK_ROWS:
        return [orjson.dumps({**head, **columns}, option=orjson.OPT_SERIALIZE_NUMPY)]
    opening = orjson.dumps(head)[:-1]
    lists = (_write_column(name, values, n_rows) for name, values in columns.items())
    return [opening, *chain.from_iterable(lists), b"}"]


def _write_column(name: str, values: Any, n_rows: int) -> Iterator[bytes]:
    yield b"," + orjson.dumps(name) + b":"
    if values is None:
        yield b"null"
        return
    for start in range(0, n_rows, BLOCK_ROWS):
        block = values[start : start + BLOCK_ROWS]
        if isinstance(block, np.ndarray):
            block = np.ascontiguousarray(block)
        text = orjson.dumps(block, option=orjson.OPT_SERIALIZE_NUMPY)
        yield (b"," if start else b"[") + text[1:-1]
    yield b"]"
