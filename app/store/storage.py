"""Where the sealed files are: a folder, of one machine or shared, or an object storage.

    artifacts/<sha256>.joblib   predictors and evidence of versions
    spool/<job>.joblib          training data of jobs that have not ended
    store-id                    which database they belong to (see `identity`)

Whatever the kind: an object is there as a whole or not at all, and never changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

ARTIFACTS = "artifacts"
SPOOL = "spool"
SUFFIX = ".joblib"
MARKER = "store-id"


def artifact_name(sha256: str) -> str:
    """The object of a digest."""
    return f"{ARTIFACTS}/{sha256}{SUFFIX}"


def spool_name(job: str) -> str:
    """The object with the data of a job."""
    return f"{SPOOL}/{job}{SUFFIX}"


def stem_of(name: str) -> str:
    """The digest or job of an object."""
    return name.rsplit("/", 1)[-1].removesuffix(SUFFIX)


class Storage(Protocol):
    """Objects by name. Trouble is `StoreUnavailable` or `StoreFull`, or an `OSError`."""

    @property
    def staging(self) -> Path:
        """The folder for files that are about to be `put`."""
        ...

    @property
    def instant(self) -> bool:
        """Whether `put` is as quick as a rename, and can be part of a transaction."""
        ...

    def put(self, source: Path, name: str, sha256: str) -> None:
        """Store a staged file; when this returns it is durable and was seen to be readable."""
        ...

    def local(self, name: str, process: str) -> Path:
        """A path under which the contents can be read; nothing there if there is no such object."""
        ...

    def forget_local(self, name: str) -> bool:
        """Drop a copy that turned out bad; False if there are no copies, only originals."""
        ...

    def fetch(self, name: str, target: Path) -> Path:
        """Like `local`, for a file that is read once: a copy, if one is needed, becomes `target`."""
        ...

    def size(self, name: str) -> int | None:
        """Bytes of an object; None if there is none."""
        ...

    def names(self, folder: str) -> list[str]:
        """All objects of a folder."""
        ...

    def delete(self, names: Iterable[str]) -> None:
        """Remove objects, as far as they are there."""
        ...

    def read_marker(self) -> str | None:
        """The mark of the store that the objects belong to."""
        ...

    def write_marker(self, mark: str) -> None:
        """Set it."""
        ...


def folder_of(location: str) -> Path | None:
    """The folder that a location names; None if it is an object storage."""
    if "://" not in location:
        return Path(location)
    parts = urlsplit(location)
    return Path(unquote(parts.path)) if parts.scheme == "file" else None


def open_storage(location: str | None, home: Path, cache_bytes: int) -> Storage:
    """The storage at a location: the home folder, another folder, or `s3://bucket/prefix`."""
    from app.store.folder import Folder

    if location is None:
        return Folder(home)
    folder = folder_of(location)
    if folder is not None:
        return Folder(folder.absolute())
    from app.store.remote import Remote

    return Remote(location, home, cache_bytes)
