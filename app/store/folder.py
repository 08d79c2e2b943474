"""Objects as files of a folder, on a local disk or one that several machines share."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from app.store.durable import make_durable, make_folder
from app.store.plain import digest_of, is_plain_file
from app.store.storage import ARTIFACTS, MARKER, SPOOL


class Folder:
    """A rename makes a file visible; the folder is made durable afterwards."""

    instant = True

    def __init__(self, root: Path, *, complete: bool = False) -> None:
        self._root = root
        self.staging = root / "tmp"
        if complete:  # only read from, perhaps where nothing can be written
            return
        for name in (ARTIFACTS, SPOOL, "tmp"):
            make_folder(root / name)

    def put(self, source: Path, name: str, sha256: str) -> None:
        """Rename."""
        target = self._root / name
        try:
            os.replace(source, target)
        except FileNotFoundError:
            # Renamed by an attempt whose transaction failed in the end; look what is there.
            with target.open("rb") as file:
                if digest_of(file) != sha256:
                    raise
        make_durable(target.parent)

    def local(self, name: str, process: str) -> Path:  # noqa: ARG002
        """The file itself."""
        return self._root / name

    def forget_local(self, name: str) -> bool:  # noqa: ARG002
        """There are no copies."""
        return False

    def fetch(self, name: str, target: Path) -> Path:  # noqa: ARG002
        """The file itself."""
        return self._root / name

    def size(self, name: str) -> int | None:
        """Bytes of a file."""
        path = self._root / name
        return path.stat().st_size if is_plain_file(path) else None

    def names(self, folder: str) -> list[str]:
        """All files of a folder."""
        return [f"{folder}/{path.name}" for path in (self._root / folder).iterdir()]

    def delete(self, names: Iterable[str]) -> None:
        """Remove files."""
        for name in names:
            (self._root / name).unlink(missing_ok=True)

    def read_marker(self) -> str | None:
        """The mark of the store."""
        try:
            return (self._root / MARKER).read_text(encoding="ascii").strip()
        except FileNotFoundError:
            return None

    def write_marker(self, mark: str) -> None:
        """Set it."""
        temporary = self._root / f"{MARKER}.{secrets.token_hex(8)}.tmp"
        try:
            with temporary.open("w", encoding="ascii") as file:
                file.write(f"{mark}\n")
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self._root / MARKER)
        finally:
            temporary.unlink(missing_ok=True)
        make_durable(self._root)
