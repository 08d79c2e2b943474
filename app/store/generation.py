"""A mark that all processes see and that differs whenever models, versions or aliases changed.

Predictions ask "did anything change?" thousands of times per second, and a database is too slow for
that. The mark is eight bytes of memory that the processes of one machine share. Machines that share
a database count their changes in it, in the transaction that makes them; each looks at the count a
few times per second (`pulse`) and moves its own mark when it differs.

Who changes something commits, then moves the mark, then acknowledges. Who caches something reads the
mark first, then the database: so a cache can be older than its mark says, never newer. The mark is
random, not a count: two processes that move it at once cannot write the same value.
"""

from __future__ import annotations

import mmap
import os
import secrets
import struct
from pathlib import Path

from sqlalchemy import Connection, update

from app.store.schema import gate

_WORD = struct.Struct("=Q")


class SharedGeneration:
    """The mark of one machine. Equal values of `current()` mean that nothing changed in between."""

    def __init__(self, path: Path) -> None:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if os.fstat(descriptor).st_size < _WORD.size:
                os.ftruncate(descriptor, _WORD.size)
            self._memory = mmap.mmap(descriptor, _WORD.size)
        finally:
            os.close(descriptor)

    def current(self) -> int:
        """The present generation."""
        value: int = _WORD.unpack_from(self._memory)[0]
        return value

    @staticmethod
    def count(connection: Connection) -> None:
        """Something changes; inside the exclusive section that changes it."""
        connection.execute(update(gate).values(generation=gate.c.generation + 1))

    def advance(self) -> None:
        """Something changed, and is committed."""
        _WORD.pack_into(self._memory, 0, secrets.randbits(64))

    def close(self) -> None:
        """Let go of it."""
        self._memory.close()
