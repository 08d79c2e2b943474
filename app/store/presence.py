"""Which processes that use the store are alive.

Each holds a lock on a file named after it. The kernel drops the lock when the process ends, however
it ends, so nobody needs a clock to know that a process of the same machine is gone. Of processes on
other machines the counters in the database tell (`process_registry`).
"""

from __future__ import annotations

import fcntl
import os
import secrets
from pathlib import Path

from app.store.process_registry import ProcessRegistry


class Presence:
    """This process, and what it can tell of the others."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.process_registry: ProcessRegistry | None = None
        self._descriptor, self.id = self._appear()

    def _appear(self) -> tuple[int, str]:
        while True:
            name = secrets.token_hex(8)
            descriptor = os.open(self._path(name), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            if _lock(descriptor) and self._path(name).exists():
                return descriptor, name
            os.close(descriptor)  # someone took us for dead before we had the lock: another name

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.lock"

    def is_gone(self, name: str) -> bool | None:
        """True: ended. False: alive. None: this machine cannot tell."""
        if name == self.id:
            return False
        try:
            descriptor = os.open(self._path(name), os.O_RDWR)
        except FileNotFoundError:
            return None if self.process_registry is None else self.process_registry.is_gone(name)
        try:
            return _lock(descriptor)
        finally:
            os.close(descriptor)

    def forget(self, name: str) -> None:
        """Remove the file of a process that is gone, holding its lock lest it be just appearing."""
        if self.process_registry is not None:
            self.process_registry.forget(name)
        try:
            descriptor = os.open(self._path(name), os.O_RDWR)
        except FileNotFoundError:
            return
        try:
            if _lock(descriptor):
                self._path(name).unlink(missing_ok=True)
        finally:
            os.close(descriptor)

    def known(self) -> list[str]:
        """All processes that left a file here, or have a counter in the database."""
        return sorted(
            self._here().union(
                [] if self.process_registry is None else self.process_registry.known()
            )
        )

    def gone(self) -> list[str]:
        """Those of them that have ended and were not forgotten yet."""
        suspects = self._here().union(
            [] if self.process_registry is None else self.process_registry.still()
        )
        return [name for name in sorted(suspects) if self.is_gone(name)]

    def _here(self) -> set[str]:
        return {path.stem for path in self._folder.glob("*.lock")}

    def close(self) -> None:
        """Be gone."""
        self._path(self.id).unlink(missing_ok=True)
        os.close(self._descriptor)


def _lock(descriptor: int) -> bool:
    """Take the lock of an open file, unless someone has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
