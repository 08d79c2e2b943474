"""Objects in an object storage, through fsspec, with copies on the local disk."""

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
from app.store.database import FULL
from app.store.storage import MARKER

log = logging.getLogger("frtsvm.store")

#: A storage that does not answer must not hold up a transaction for longer than the database allows
#: (`postgresql.SESSION_LIMITS`): a deletion that is carried out later than that could hit a new object.
S3_LIMITS = {"connect_timeout": 4, "read_timeout": 8, "retries": {"total_max_attempts": 2}}
BLOCK = 1024**2


class Remote:
    """Anything that fsspec reaches and that shows an object only when it is complete."""

    instant = False

    def __init__(self, url: str, home: Path, cache_bytes: int) -> None:
        self._files, self._root = _connect(url)
        self.staging = home / "tmp"
        self.staging.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._cache = LocalCache(home / "cache", cache_bytes)

    def put(self, source: Path, name: str, sha256: str) -> None:
        """Upload, and read back what is there now."""
        with _reaching():
            self._files.put_file(str(source), self._at(name))
            if self._digest(name) != sha256:
                raise StoreUnavailable("the object storage did not keep what it was given")

    def local(self, name: str, process: str) -> Path:
        """A copy on the local disk, made if there is none."""
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
        """Drop a copy that turned out bad."""
        self._cache.drop(name)
        return True

    def fetch(self, name: str, target: Path) -> Path:
        """Download."""
        with _reaching(), suppress(FileNotFoundError):
            self._files.get_file(self._at(name), str(target))
        return target

    def size(self, name: str) -> int | None:
        """Bytes of an object."""
        with _reaching():
            try:
                return int(self._files.info(self._at(name))["size"])
            except FileNotFoundError:
                return None

    def names(self, folder: str) -> list[str]:
        """All objects of a folder."""
        with _reaching():
            try:
                found = self._files.ls(self._at(folder), detail=False)
            except FileNotFoundError:  # folders exist only as far as there is something in them
                return []
        return [f"{folder}/{path.rsplit('/', 1)[-1]}" for path in found]

    def delete(self, names: Iterable[str]) -> None:
        """Remove objects, and our copies."""
        for name in names:
            self._cache.drop(name)
            with _reaching(), suppress(FileNotFoundError):
                self._files.rm_file(self._at(name))

    def read_marker(self) -> str | None:
        """The mark of the store."""
        with _reaching():
            try:
                contents: bytes = self._files.cat_file(self._at(MARKER))
            except FileNotFoundError:
                return None
        return contents.decode("ascii", "replace").strip()

    def write_marker(self, mark: str) -> None:
        """Set it."""
        with _reaching():
            self._files.pipe_file(self._at(MARKER), f"{mark}\n".encode("ascii"))

    def _at(self, name: str) -> str:
        return f"{self._root}/{name}"

    def _digest(self, name: str) -> str:
        digest = hashlib.sha256()
        with self._files.open(self._at(name), "rb") as file:
            while block := file.read(BLOCK):
                digest.update(block)
        return digest.hexdigest()


def _connect(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the path in it."""
    options: dict[str, Any] = {"use_listings_cache": False, "skip_instance_cache": True}
    if url.startswith(("s3://", "s3a://")):
        options["config_kwargs"] = S3_LIMITS
    try:
        from fsspec.core import url_to_fs

        files, root = url_to_fs(url, **options)
    except ImportError as error:
        raise StoreUnavailable(
            f"object storage needs the extra `scale`: pip install 'frtsvm-service[scale]' ({error})"
        ) from error
    except ValueError as error:
        raise StoreUnavailable(f"FRTSVM_ARTIFACTS: {error}") from error
    return files, str(root).rstrip("/")


@contextmanager
def _reaching() -> Iterator[None]:
    """Errors of the many file systems in our words. What they say may name hosts: the log has it."""
    try:
        yield
    except (FileNotFoundError, ServiceError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno in FULL:
            raise StoreFull("no space left in the store") from error
        raise StoreUnavailable("the object storage cannot be used at the moment") from error
