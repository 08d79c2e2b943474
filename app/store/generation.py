"""A mark that all processes see and that differs whenever models, versions or aliases changed.

Predictions ask "did anything change?" thousands of times per second, and a database is too slow for
that. On one machine the mark is eight bytes of shared memory; across machines there is none, and
every question is answered with "perhaps".

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
from typing import Protocol

_WORD = struct.Struct("=Q")


class Generation(Protocol):
    """Equal values of `current()` mean that nothing changed in between."""

    def current(self) -> int:
        """The present generation."""
        ...

    def advance(self) -> None:
        """Something changed, and is committed."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


class SharedGeneration:
    """The mark of one machine."""

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

    def advance(self) -> None:
        """Something changed, and is committed."""
        _WORD.pack_into(self._memory, 0, secrets.randbits(64))

    def close(self) -> None:
        """Let go of it."""
        self._memory.close()


class UnknownGeneration:
    """Never the same twice: for databases that other machines change."""

    def __init__(self) -> None:
        self._count = 0

    def current(self) -> int:
        """Another value each time."""
        self._count += 1
        return self._count

    def advance(self) -> None:
        """Nothing to note."""

    def close(self) -> None:
        """Nothing to let go of."""
