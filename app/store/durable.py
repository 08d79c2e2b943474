"""Directory entries that survive a power failure, by syncing the directory."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def make_durable(folder: Path) -> None:
    """Sync a folder, so that files created or renamed in it survive a power failure."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(path: Path) -> None:
    """Create a folder (mode 0700) and its missing parents, durably."""
    if path.is_dir():
        return
    make_folder(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
    with contextlib.suppress(PermissionError):  # the parent is writable, but not readable
        make_durable(path.parent)
