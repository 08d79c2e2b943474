"""Copies of remote artifacts on the local disk, least recently used out first."""

from __future__ import annotations

import os
from pathlib import Path


class LocalCache:
    """A folder that the workers of one machine share. Whoever has a file open keeps its contents."""

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def path(self, name: str) -> Path:
        """Where a copy is, or would be."""
        return self._folder / name.rsplit("/", 1)[-1]

    def find(self, name: str) -> Path | None:
        """A copy, noted as used just now."""
        path = self.path(name)
        try:
            os.utime(path)
        except FileNotFoundError:
            return None
        return path

    def add(self, complete: Path, name: str) -> Path:
        """Take over a complete file."""
        path = self.path(name)
        os.replace(complete, path)
        self._evict(path)
        return path

    def drop(self, name: str) -> None:
        """Remove a copy."""
        self.path(name).unlink(missing_ok=True)

    def _evict(self, newest: Path) -> None:
        found: list[tuple[int, int, Path]] = []
        for path in self._folder.iterdir():
            try:
                status = path.stat()
            except FileNotFoundError:  # another worker was first
                continue
            found.append((status.st_mtime_ns, status.st_size, path))
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total <= self._max_bytes:
                return
            if path != newest:
                path.unlink(missing_ok=True)
                total -= size
