"""Copies of a whole store, taken while it is used, and stores made from them.

A copy is a folder like the home folder of a service with SQLite, whatever it was taken from:

    frtsvm.sqlite3   artifacts/   spool/   store-id   secret.key

so it can be looked at, served, or restored to another kind of database or storage.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import delete, insert, select, update

from app.errors import StoreUnavailable
from app.store.copying import Copied, copy_files, copy_rows, digests_of
from app.store.database import Database, storage_error
from app.store.durable import make_durable
from app.store.folder import Folder
from app.store.migrate import copy_sqlite
from app.store.plain import is_plain_file
from app.store.schema import gate, jobs, models, processes, uploads
from app.store.secret import Sealer, read_secret, write_secret
from app.store.storage import ARTIFACTS, Storage, artifact_name, open_storage
from app.store.store import Store

DATABASE = "frtsvm.sqlite3"
KEY = "secret.key"


def back_up(store: Store, secret: bytes, target: Path) -> Copied:
    """Copy a store to a new folder, which is there as a whole in the end or not at all."""
    if target.exists():
        raise StoreUnavailable(f"{target} exists already")
    partial = target.with_name(f".{target.name}.{secrets.token_hex(4)}.partial")
    try:
        partial.mkdir(mode=0o700, parents=True)
        folder = Folder(partial)
        with _snapshot(store, partial / DATABASE) as copy:
            copied = copy_files(store.files.storage, folder, copy)
            with copy.read() as connection:
                folder.write_marker(connection.execute(select(gate.c.store_id)).scalar_one())
        write_secret(partial / KEY, secret)
        folder.staging.rmdir()
        partial.rename(target)
        make_durable(target.parent)
    except OSError as error:
        raise storage_error(error) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return copied


@contextmanager
def _snapshot(store: Store, path: Path) -> Iterator[Database]:
    """A copy of the database; the artifacts that it names are kept until the end of the block."""
    with store.database.exclusive() as connection:  # no version comes or goes meanwhile
        if store.database.is_sqlite:
            copy_sqlite(store.database.path, path)
        copy = Database(f"sqlite:///{path}")
        if not store.database.is_sqlite:
            copy.migrate()
            with copy.write() as into:
                copy_rows(connection, into)
        announced = [
            {
                "token": secrets.token_hex(16),
                "name": artifact_name(sha256),
                "owner": store.presence.id,
            }
            for sha256 in digests_of(connection)
        ]
        if announced:
            connection.execute(insert(uploads), announced)
    try:
        with copy.write() as into:
            into.execute(delete(uploads))
            into.execute(delete(processes))
        yield copy
    finally:
        copy.close()
        store.uploads.forget(store.presence.id)


def restore(
    source: Path, home: Path, url: str, artifacts: str | None, secret_file: Path | None
) -> Copied:
    """Make a store from a copy, in places that are empty.

    The database comes last: without it there is no store, and a restore that was cut short can be
    repeated.
    """
    if not is_plain_file(source / DATABASE):
        raise StoreUnavailable(f"{source} is no backup: it has no {DATABASE}")
    secret = read_secret(source / KEY)
    home = home.absolute()
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (
            tempfile.TemporaryDirectory(prefix=".restore-", dir=home) as working,
            _open(f"sqlite:///{working}/{DATABASE}") as copy,
            _open(url) as target,
        ):
            _require_empty_database(target)
            copy_sqlite(source / DATABASE, copy.path)
            copy.migrate()
            store_id = _marks(copy, secret)
            storage = open_storage(artifacts, home, cache_bytes=1)
            _take_possession(storage, store_id)
            copied = copy_files(Folder(source, complete=True), storage, copy)
            _place_secret(secret, home, secret_file)
            _fill(target, copy)
    except OSError as error:
        raise storage_error(error) from error
    return copied


@contextmanager
def _open(url: str) -> Iterator[Database]:
    database = Database(url)
    try:
        yield database
    finally:
        database.close()


def _require_empty_database(target: Database) -> None:
    if target.is_sqlite:
        if target.path.exists():
            raise StoreUnavailable(f"there is a database already: {target.path}")
        target.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return
    target.migrate()
    with target.read() as connection:
        for column in (models.c.name, jobs.c.id, gate.c.store_id):
            if connection.execute(select(column).where(column.is_not(None)).limit(1)).first():
                raise StoreUnavailable("the database is not empty")


def _marks(copy: Database, secret: bytes) -> str:
    """The mark of the copied store; copies from before there were marks get theirs now."""
    mine = Sealer(secret).mark()
    with copy.write() as connection:
        row = connection.execute(select(gate.c.store_id, gate.c.secret_mark)).one()
        if row.secret_mark not in (None, mine):
            raise StoreUnavailable(f"the {KEY} of the backup is not the one of its database")
        store_id: str = row.store_id or secrets.token_hex(16)
        connection.execute(update(gate).values(store_id=store_id, secret_mark=mine))
    return store_id


def _take_possession(storage: Storage, store_id: str) -> None:
    """Mark an empty storage as ours, before anything is in it."""
    found = storage.read_marker()
    if found != store_id and storage.names(ARTIFACTS):
        raise StoreUnavailable("there are artifacts already")
    storage.write_marker(store_id)


def _place_secret(secret: bytes, home: Path, secret_file: Path | None) -> None:
    path = secret_file or home / KEY
    if secret_file is None and not path.exists():
        write_secret(path, secret)
    if read_secret(path) != secret:
        raise StoreUnavailable(f"{path} is not the secret of the backup: put its {KEY} there")


def _fill(target: Database, copy: Database) -> None:
    if target.is_sqlite:
        copy_sqlite(copy.path, target.path)
        return
    with copy.read() as connection, target.exclusive() as into:
        copy_rows(connection, into)
