"""Files on their way into the storage, which no sweep may take for forgotten ones.

A rename is part of the transaction that records the file, and so is every removal. An upload takes
too long for that. It is announced first, in a transaction that takes turns with the sweeps; from then
on nobody removes the object. Recording it withdraws the announcement, in the same transaction. The
announcements of a process that is gone are withdrawn by the others; should it live after all, it
finds them missing and records nothing. No clock is asked.
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
    """Files that only have to be recorded."""

    def keep(self, connection: Connection) -> None:
        """They are recorded; inside the exclusive section that does it."""
        ...


class Uploads:
    """Brings staged files to their names in the storage."""

    def __init__(self, database: Database, files: Files) -> None:
        self._database = database
        self._files = files

    @contextmanager
    def uploading(self, objects: Mapping[str, Staged]) -> Iterator[UploadedFiles]:
        """Around the exclusive section that records these objects."""
        if self._files.storage.instant:
            yield _Renames(self._files, objects)
            return
        announced = self._announce(objects)
        try:
            for name, staged in objects.items():
                self._files.storage.put(staged.path, name, staged.sha256)
            yield announced
        except BaseException:
            self._withdraw(announced)
            raise
        if not announced.kept:
            self._withdraw(announced)

    def among(self, connection: Connection, names: Collection[str]) -> set[str]:
        """Those of the objects that someone is uploading; inside an exclusive section."""
        found = connection.execute(select(uploads.c.name).where(uploads.c.name.in_(names)))
        return set(found.scalars())

    def forget(self, process: str) -> None:
        """Withdraw what a process that is gone has announced."""
        mine = uploads.c.owner == process
        with self._database.read() as connection:
            if connection.execute(select(uploads.c.token).where(mine).limit(1)).first() is None:
                return
        with self._database.exclusive() as connection:
            connection.execute(delete(uploads).where(mine))

    def _announce(self, objects: Mapping[str, Staged]) -> _Announced:
        tokens = [secrets.token_hex(16) for _ in objects]
        rows = [
            {"token": token, "name": name, "owner": self._files.process}
            for token, name in zip(tokens, objects, strict=True)
        ]
        with self._database.exclusive() as connection:
            connection.execute(insert(uploads), rows)
        return _Announced(tokens)

    def _withdraw(self, announced: _Announced) -> None:
        try:
            with self._database.write() as connection:
                announced.withdraw(connection)
        except ServiceError as error:  # it lasts as long as this process
            log.warning("an upload stays announced", extra={"why": error.detail})


class _Renames:
    """Nothing has been done yet: it takes no time."""

    def __init__(self, files: Files, objects: Mapping[str, Staged]) -> None:
        self._files = files
        self._objects = objects

    def keep(self, connection: Connection) -> None:  # noqa: ARG002
        """Give the files their names."""
        for name, staged in self._objects.items():
            self._files.storage.put(staged.path, name, staged.sha256)


class _Announced:
    """The files are in the storage, protected by rows."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self.kept = False

    def keep(self, connection: Connection) -> None:
        """Withdraw the announcements, which must all be there still."""
        if self.withdraw(connection) != len(self._tokens):
            raise StoreUnavailable("this process was taken for dead while it uploaded")
        self.kept = True

    def withdraw(self, connection: Connection) -> int:
        """Remove the rows; returns how many there were."""
        mine = uploads.c.token.in_(self._tokens)
        return connection.execute(delete(uploads).where(mine)).rowcount
