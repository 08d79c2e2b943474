"""Names that survive a power cut: a folder has to be told to keep them."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def make_durable(folder: Path) -> None:
    """What was named in a folder, or renamed, survives a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(path: Path) -> None:
    """A folder of our own, and those above it, unless they are there."""
    if path.is_dir():
        return
    make_folder(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
    with contextlib.suppress(PermissionError):  # we may write there, but not look
        make_durable(path.parent)
