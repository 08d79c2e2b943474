"""Storage of artifacts and training data: a local folder, a shared folder, or an object storage.

    artifacts/<sha256>.joblib   predictors and evidence (memberships and distances of the training
                                rows) of model versions
    spool/<job>.joblib          training data of jobs that have not ended
    store-id                    id of the database that the files belong to (see `identity`)

In every kind of storage an object is either complete or absent, and it never changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

ARTIFACTS = "artifacts"
SPOOL = "spool"
SUFFIX = ".joblib"
STORE_ID_FILE = "store-id"


def artifact_name(sha256: str) -> str:
    """Return the object name of an artifact."""
    return f"{ARTIFACTS}/{sha256}{SUFFIX}"


def spool_name(job: str) -> str:
    """Return the object name of the training data of a job."""
    return f"{SPOOL}/{job}{SUFFIX}"


def stem_of(name: str) -> str:
    """Return the digest or job id in an object name."""
    return name.rsplit("/", 1)[-1].removesuffix(SUFFIX)


class Storage(Protocol):
    """Stores objects by name. Methods raise `StoreUnavailable`, `StoreFull` or `OSError`."""

    @property
    def staging(self) -> Path:
        """Folder in which files are written before `put` stores them."""
        ...

    @property
    def instant(self) -> bool:
        """Whether `put` is only a rename, fast enough to run inside a transaction."""
        ...

    def put(self, source: Path, name: str, sha256: str) -> None:
        """Store a staged file. On return it is durable; an uploaded object was also read back."""
        ...

    def local(self, name: str, process: str) -> Path:
        """Return a local path of the contents; the path does not exist if the object does not."""
        ...

    def forget_local(self, name: str) -> bool:
        """Delete a damaged local copy; False if this storage keeps no local copies."""
        ...

    def fetch(self, name: str, target: Path) -> Path:
        """Like `local`, for a file that is read once: a copy, if needed, is written to `target`."""
        ...

    def size(self, name: str) -> int | None:
        """Return the size of an object in bytes; None if it does not exist."""
        ...

    def names(self, folder: str) -> list[str]:
        """Return the names of all objects in a folder."""
        ...

    def delete(self, names: Iterable[str]) -> None:
        """Delete objects; missing ones are ignored."""
        ...

    def read_store_id(self) -> str | None:
        """Return the id of the store that the objects belong to; None if it is not set."""
        ...

    def write_store_id(self, store_id: str) -> None:
        """Set the id of the store that the objects belong to."""
        ...


def folder_of(location: str) -> Path | None:
    """Return the folder that a location refers to; None for an object storage."""
    if "://" not in location:
        return Path(location)
    parts = urlsplit(location)
    return Path(unquote(parts.path)) if parts.scheme == "file" else None


def open_storage(location: str | None, home: Path, cache_bytes: int) -> Storage:
    """Open the storage at a location: a folder or `s3://bucket/prefix`; None: the home folder."""
    from app.store.folder import Folder

    if location is None:
        return Folder(home)
    folder = folder_of(location)
    if folder is not None:
        return Folder(folder.absolute())
    from app.store.remote import Remote

    return Remote(location, home, cache_bytes)
