"""Object storage accessed through fsspec, with copies on the local disk."""

from __future__ import annotations

import hashlib
import logging
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from app.errors import ServiceError, StoreFull, StoreUnavailable
from app.store.cache import LocalCache
from app.store.database import NO_SPACE_ERRNOS
from app.store.storage import STORE_ID_FILE

log = logging.getLogger("frtsvm.store")

#: Timeouts in seconds. A request must end before the database ends the transaction it belongs to
#: (`postgresql.SESSION_LIMITS`): a deletion carried out later could delete a new object.
S3_LIMITS = {"connect_timeout": 4, "read_timeout": 8, "retries": {"total_max_attempts": 2}}
BLOCK = 1024**2


class Remote:
    """Any fsspec file system in which an object becomes visible only when it is complete."""

    instant = False

    def __init__(self, url: str, home: Path, cache_bytes: int) -> None:
        self._files, self._root = _connect(url)
        self.staging = home / "tmp"
        self.staging.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._cache = LocalCache(home / "cache", cache_bytes)

    def put(self, source: Path, name: str, sha256: str) -> None:
        """Upload a file and verify it by reading it back."""
        with _translated_errors():
            self._files.put_file(str(source), self._path(name))
            if self._digest(name) != sha256:
                raise StoreUnavailable(
                    "The object storage returned data that differ from the upload. Try again."
                )

    def local(self, name: str, process: str) -> Path:
        """Return a copy on the local disk; download the object if there is none."""
        found = self._cache.find(name)
        if found is not None:
            return found
        temporary = self.staging / f"{process}.{secrets.token_hex(8)}"
        try:
            if not self.fetch(name, temporary).exists():
                return temporary
            return self._cache.add(temporary, name)
        finally:
            temporary.unlink(missing_ok=True)

    def forget_local(self, name: str) -> bool:
        """Delete a damaged local copy."""
        self._cache.drop(name)
        return True

    def fetch(self, name: str, target: Path) -> Path:
        """Download an object to `target`."""
        with _translated_errors(), suppress(FileNotFoundError):
            self._files.get_file(self._path(name), str(target))
        return target

    def size(self, name: str) -> int | None:
        """Return the size of an object in bytes; None if it does not exist."""
        with _translated_errors():
            try:
                return int(self._files.info(self._path(name))["size"])
            except FileNotFoundError:
                return None

    def names(self, folder: str) -> list[str]:
        """Return the names of all objects in a folder."""
        with _translated_errors():
            try:
                found = self._files.ls(self._path(folder), detail=False)
            except FileNotFoundError:  # an object storage has no empty folders
                return []
        return [f"{folder}/{path.rsplit('/', 1)[-1]}" for path in found]

    def delete(self, names: Iterable[str]) -> None:
        """Delete objects and their local copies."""
        for name in names:
            self._cache.drop(name)
            with _translated_errors(), suppress(FileNotFoundError):
                self._files.rm_file(self._path(name))

    def read_store_id(self) -> str | None:
        """Return the store id; None if it is not set."""
        with _translated_errors():
            try:
                contents: bytes = self._files.cat_file(self._path(STORE_ID_FILE))
            except FileNotFoundError:
                return None
        return contents.decode("ascii", "replace").strip()

    def write_store_id(self, store_id: str) -> None:
        """Set the store id."""
        with _translated_errors():
            self._files.pipe_file(self._path(STORE_ID_FILE), f"{store_id}\n".encode("ascii"))

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"

    def _digest(self, name: str) -> str:
        digest = hashlib.sha256()
        with self._files.open(self._path(name), "rb") as file:
            while block := file.read(BLOCK):
                digest.update(block)
        return digest.hexdigest()


def _connect(url: str) -> tuple[Any, str]:
    """Return the fsspec file system of a URL and the path in it."""
    options: dict[str, Any] = {"use_listings_cache": False, "skip_instance_cache": True}
    if url.startswith(("s3://", "s3a://")):
        options["config_kwargs"] = S3_LIMITS
    try:
        from fsspec.core import url_to_fs

        files, root = url_to_fs(url, **options)
    except ImportError as error:
        raise StoreUnavailable(
            "Object storage needs the extra `scale`. Install it: "
            f"pip install 'frtsvm-service[scale]' ({error})."
        ) from error
    except ValueError as error:
        raise StoreUnavailable(
            f"FRTSVM_ARTIFACTS is not a valid storage location: {error}."
        ) from error
    return files, str(root).rstrip("/")


@contextmanager
def _translated_errors() -> Iterator[None]:
    """Translate errors of the file systems to the service's own error classes.

    The original messages may contain host names, so they go to the log only.
    """
    try:
        yield
    except (FileNotFoundError, ServiceError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno in NO_SPACE_ERRNOS:
            raise StoreFull(
                "No space is left in the store. Delete models, or enlarge the storage."
            ) from error
        raise StoreUnavailable(
            "The object storage cannot be used at the moment. Try again later. If this persists, "
            "check FRTSVM_ARTIFACTS and the credentials of the storage."
        ) from error
