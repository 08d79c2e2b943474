"""LRU cache of remote artifacts on the local disk."""

from __future__ import annotations

import os
from pathlib import Path


class LocalCache:
    """Cache folder shared by the processes of one machine.

    A process that has an evicted file open can continue to read it.
    """

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def path(self, name: str) -> Path:
        """Return the path of a copy, whether it exists or not."""
        return self._folder / name.rsplit("/", 1)[-1]

    def find(self, name: str) -> Path | None:
        """Return a copy and mark it as used now; None if there is none."""
        path = self.path(name)
        try:
            os.utime(path)
        except FileNotFoundError:
            return None
        return path

    def add(self, complete: Path, name: str) -> Path:
        """Move a complete file into the cache, and evict others if the limit is exceeded."""
        path = self.path(name)
        os.replace(complete, path)
        self._evict(path)
        return path

    def drop(self, name: str) -> None:
        """Remove a copy from the cache."""
        self.path(name).unlink(missing_ok=True)

    def _evict(self, newest: Path) -> None:
        found: list[tuple[int, int, Path]] = []
        for path in self._folder.iterdir():
            try:
                status = path.stat()
            except FileNotFoundError:  # another process has evicted it
                continue
            found.append((status.st_mtime_ns, status.st_size, path))
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total <= self._max_bytes:
                return
            if path != newest:
                path.unlink(missing_ok=True)
                total -= size
