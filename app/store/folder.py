"""Storage in a folder, on a local disk or on one shared by several machines."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from app.store.durable import make_durable, make_folder
from app.store.plain import digest_of, is_plain_file
from app.store.storage import ARTIFACTS, SPOOL, STORE_ID_FILE


class Folder:
    """Stores objects as files. A rename makes a file visible; the folder is synced afterwards."""

    instant = True

    def __init__(self, root: Path, *, complete: bool = False) -> None:
        self._root = root
        self.staging = root / "tmp"
        if complete:  # an existing backup, perhaps on a read-only medium
            return
        for name in (ARTIFACTS, SPOOL, "tmp"):
            make_folder(root / name)

    def put(self, source: Path, name: str, sha256: str) -> None:
        """Rename a staged file to its final name."""
        target = self._root / name
        try:
            os.replace(source, target)
        except FileNotFoundError:
            # An earlier attempt has renamed the file, but its transaction failed: check the target.
            with target.open("rb") as file:
                if digest_of(file) != sha256:
                    raise
        make_durable(target.parent)

    def local(self, name: str, process: str) -> Path:  # noqa: ARG002
        """Return the path of the file itself."""
        return self._root / name

    def forget_local(self, name: str) -> bool:  # noqa: ARG002
        """Return False: there are no local copies."""
        return False

    def fetch(self, name: str, target: Path) -> Path:  # noqa: ARG002
        """Return the path of the file itself."""
        return self._root / name

    def size(self, name: str) -> int | None:
        """Return the size of a file in bytes; None if it does not exist."""
        path = self._root / name
        return path.stat().st_size if is_plain_file(path) else None

    def names(self, folder: str) -> list[str]:
        """Return the names of all files in a folder."""
        return [f"{folder}/{path.name}" for path in (self._root / folder).iterdir()]

    def delete(self, names: Iterable[str]) -> None:
        """Delete files; missing ones are ignored."""
        for name in names:
            (self._root / name).unlink(missing_ok=True)

    def read_store_id(self) -> str | None:
        """Return the store id; None if it is not set."""
        try:
            return (self._root / STORE_ID_FILE).read_text(encoding="ascii").strip()
        except FileNotFoundError:
            return None

    def write_store_id(self, store_id: str) -> None:
        """Set the store id."""
        temporary = self._root / f"{STORE_ID_FILE}.{secrets.token_hex(8)}.tmp"
        try:
            with temporary.open("w", encoding="ascii") as file:
                file.write(f"{store_id}\n")
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self._root / STORE_ID_FILE)
        finally:
            temporary.unlink(missing_ok=True)
        make_durable(self._root)
