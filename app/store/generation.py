"""Generation number for cache invalidation: it changes with models, versions and aliases.

Predictions check for changes thousands of times per second, too often for a database. The
generation is therefore eight bytes of memory shared by the processes of one machine. Machines that
share a database also count their changes in it, in the transaction that makes the change. Each
machine reads this counter a few times per second (`heartbeat`) and changes its own generation if
the counter moved.

A writer commits, then changes the generation, then acknowledges. A reader that caches something
reads the generation first, then the database. So a cache entry can only be newer than the
generation it is stored under, never older. The generation is a random number, not a counter: two
processes that change it at the same time cannot write the same value.
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
    """Generation of one machine.

    If `current()` returns the same value twice, this machine knows of no change in between.
    """

    def __init__(self, path: Path) -> None:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if os.fstat(descriptor).st_size < _WORD.size:
                os.ftruncate(descriptor, _WORD.size)
            self._memory = mmap.mmap(descriptor, _WORD.size)
        finally:
            os.close(descriptor)

    def current(self) -> int:
        """Return the current generation."""
        value: int = _WORD.unpack_from(self._memory)[0]
        return value

    @staticmethod
    def record_change(connection: Connection) -> None:
        """Increment the counter in the database, in the transaction that makes a change."""
        connection.execute(update(gate).values(generation=gate.c.generation + 1))

    def advance(self) -> None:
        """Change the generation of this machine, after a change was committed."""
        _WORD.pack_into(self._memory, 0, secrets.randbits(64))

    def close(self) -> None:
        """Unmap the shared memory."""
        self._memory.close()
