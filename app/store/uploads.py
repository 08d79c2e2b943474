"""Protect files that are being uploaded from garbage collection.

In a folder, a file is renamed inside the exclusive transaction that records it, and garbage
collection removes files only in exclusive transactions (`Database.exclusive`). An upload to an
object storage takes too long for that, so it has three steps:

1. The upload is announced in the table `uploads`, in an exclusive transaction, so never during
   garbage collection. From then on no process removes the object.
2. The file is uploaded.
3. The transaction that records the file withdraws the announcement.

If a process dies, the other processes withdraw its announcements. If it is alive after all, step 3
finds the announcements missing and records nothing. No step depends on a clock.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from sqlalchemy import Connection, delete, insert, select

from app.errors import ServiceError, StoreUnavailable
from app.store.database import Database
from app.store.files import Files, Staged
from app.store.schema import uploads

log = logging.getLogger("frtsvm.store")


class UploadedFiles(Protocol):
    """Files that are ready to be recorded in the database."""

    def confirm(self, connection: Connection) -> None:
        """Confirm the files, in the exclusive transaction that records them."""
        ...


class Uploads:
    """Moves staged files into the storage."""

    def __init__(self, database: Database, files: Files) -> None:
        self._database = database
        self._files = files

    @contextmanager
    def uploading(self, objects: Mapping[str, Staged]) -> Iterator[UploadedFiles]:
        """Put staged files into the storage. The block must record them and call `confirm`."""
        if self._files.storage.instant:
            yield _RenamedOnConfirm(self._files, objects)
            return
        announced = self._announce(objects)
        try:
            for name, staged in objects.items():
                self._files.storage.put(staged.path, name, staged.sha256)
            yield announced
        except BaseException:
            self._withdraw(announced)
            raise
        if not announced.confirmed:
            self._withdraw(announced)

    def in_progress(self, connection: Connection, names: Collection[str]) -> set[str]:
        """Return which of the objects are being uploaded; needs an exclusive transaction."""
        found = connection.execute(select(uploads.c.name).where(uploads.c.name.in_(names)))
        return set(found.scalars())

    def forget(self, process: str) -> None:
        """Withdraw the announcements of a process that has ended."""
        mine = uploads.c.owner == process
        with self._database.read() as connection:
            if connection.execute(select(uploads.c.token).where(mine).limit(1)).first() is None:
                return
        with self._database.exclusive() as connection:
            connection.execute(delete(uploads).where(mine))

    def _announce(self, objects: Mapping[str, Staged]) -> _AnnouncedUploads:
        tokens = [secrets.token_hex(16) for _ in objects]
        rows = [
            {"token": token, "name": name, "owner": self._files.process}
            for token, name in zip(tokens, objects, strict=True)
        ]
        with self._database.exclusive() as connection:
            connection.execute(insert(uploads), rows)
        return _AnnouncedUploads(tokens)

    def _withdraw(self, announced: _AnnouncedUploads) -> None:
        try:
            with self._database.write() as connection:
                announced.withdraw(connection)
        except ServiceError as error:  # the other processes withdraw it when this one ends
            log.warning(
                "cannot remove the record of a failed upload, "
                "another process removes it after this one has ended",
                extra={"why": error.detail},
            )


class _RenamedOnConfirm:
    """Files that are renamed when they are confirmed; for storages where `put` is a rename."""

    def __init__(self, files: Files, objects: Mapping[str, Staged]) -> None:
        self._files = files
        self._objects = objects

    def confirm(self, connection: Connection) -> None:  # noqa: ARG002
        """Rename the files."""
        for name, staged in self._objects.items():
            self._files.storage.put(staged.path, name, staged.sha256)


class _AnnouncedUploads:
    """Uploaded files, protected by rows of the table `uploads`."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self.confirmed = False

    def confirm(self, connection: Connection) -> None:
        """Withdraw the announcements; raise `StoreUnavailable` if one is missing."""
        if self.withdraw(connection) != len(self._tokens):
            raise StoreUnavailable(
                "The upload took too long without a heartbeat of this process, so another process "
                "cancelled it. Try again."
            )
        self.confirmed = True

    def withdraw(self, connection: Connection) -> int:
        """Delete the announcements; return how many existed."""
        mine = uploads.c.token.in_(self._tokens)
        return connection.execute(delete(uploads).where(mine)).rowcount
