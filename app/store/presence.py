"""Find out which processes that use the store are alive.

Each process holds a lock on a file named after its id. The kernel releases the lock when the
process ends, however it ends. So the end of a process on the same machine is detected without any
clock. Processes on other machines are watched through their heartbeat counters in the database
(`process_registry`).
"""

from __future__ import annotations

import fcntl
import os
import secrets
from pathlib import Path

from app.store.process_registry import ProcessRegistry


class Presence:
    """Registers this process and tells which other processes are still alive."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.process_registry: ProcessRegistry | None = None
        self._descriptor, self.id = self._register()

    def _register(self) -> tuple[int, str]:
        while True:
            name = secrets.token_hex(8)
            descriptor = os.open(self._path(name), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            if _try_lock(descriptor) and self._path(name).exists():
                return descriptor, name
            # Another process removed the file as stale before it was locked: try another name.
            os.close(descriptor)

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.lock"

    def is_gone(self, name: str) -> bool | None:
        """Whether the process has ended; None if this machine cannot tell."""
        if name == self.id:
            return False
        try:
            descriptor = os.open(self._path(name), os.O_RDWR)
        except FileNotFoundError:
            return None if self.process_registry is None else self.process_registry.is_gone(name)
        try:
            return _try_lock(descriptor)
        finally:
            os.close(descriptor)

    def forget(self, name: str) -> None:
        """Remove the lock file and the heartbeat counter of a process that has ended.

        The file is removed under its lock: a process that is just starting keeps its file.
        """
        if self.process_registry is not None:
            self.process_registry.forget(name)
        try:
            descriptor = os.open(self._path(name), os.O_RDWR)
        except FileNotFoundError:
            return
        try:
            if _try_lock(descriptor):
                self._path(name).unlink(missing_ok=True)
        finally:
            os.close(descriptor)

    def known(self) -> list[str]:
        """Return the ids of all processes with a lock file here or a counter in the database."""
        return sorted(
            self._local_names().union(
                [] if self.process_registry is None else self.process_registry.known()
            )
        )

    def gone(self) -> list[str]:
        """Return the known processes that have ended and were not yet passed to `forget`."""
        suspects = self._local_names().union(
            [] if self.process_registry is None else self.process_registry.stalled()
        )
        return [name for name in sorted(suspects) if self.is_gone(name)]

    def _local_names(self) -> set[str]:
        return {path.stem for path in self._folder.glob("*.lock")}

    def close(self) -> None:
        """Remove the lock file and release the lock."""
        self._path(self.id).unlink(missing_ok=True)
        os.close(self._descriptor)


def _try_lock(descriptor: int) -> bool:
    """Lock an open file; False if another process holds the lock."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
