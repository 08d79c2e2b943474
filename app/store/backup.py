"""Back up a whole store while it is in use, and restore stores from backups.

A backup is a folder with the layout of the home folder of a service with SQLite, whatever database
and storage it was taken from:

    frtsvm.sqlite3   artifacts/   spool/   store-id   secret.key

So it can be inspected, served directly, or restored to another kind of database or storage.
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
    """Back up a store to a new folder. The folder appears only when the backup is complete."""
    if target.exists():
        raise StoreUnavailable(f"{target} exists already. Choose a folder that does not exist yet.")
    partial = target.with_name(f".{target.name}.{secrets.token_hex(4)}.partial")
    try:
        partial.mkdir(mode=0o700, parents=True)
        folder = Folder(partial)
        with _snapshot(store, partial / DATABASE) as copy:
            copied = copy_files(store.files.storage, folder, copy)
            with copy.read() as connection:
                folder.write_store_id(connection.execute(select(gate.c.store_id)).scalar_one())
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
    """Copy the database; its artifacts are protected from deletion until the end of the block."""
    with store.database.exclusive() as connection:  # versions cannot be added or deleted meanwhile
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
    """Restore a backup to an empty database, home folder and storage.

    The database is written last. Until then there is no store, so an interrupted restore can be
    repeated.
    """
    if not is_plain_file(source / DATABASE):
        raise StoreUnavailable(f"{source} is not a backup: it has no file {DATABASE}.")
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
            store_id = _ensure_identity(copy, secret)
            storage = open_storage(artifacts, home, cache_bytes=1)
            _claim_storage(storage, store_id)
            copied = copy_files(Folder(source, complete=True), storage, copy)
            _install_secret(secret, home, secret_file)
            _copy_database(target, copy)
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
            raise StoreUnavailable(
                f"The database {target.path} exists already. Set --home or FRTSVM_HOME to an empty "
                "folder, or FRTSVM_DATABASE_URL to a new database."
            )
        target.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return
    target.migrate()
    with target.read() as connection:
        for column in (models.c.name, jobs.c.id, gate.c.store_id):
            if connection.execute(select(column).where(column.is_not(None)).limit(1)).first():
                raise StoreUnavailable(
                    "The database is not empty. Set FRTSVM_DATABASE_URL to an empty database."
                )


def _ensure_identity(copy: Database, secret: bytes) -> str:
    """Check the secret of a backup and return its store id.

    A backup from an early release, which has neither key check value nor store id, gets both.
    """
    check_value = Sealer(secret).key_check_value()
    with copy.write() as connection:
        row = connection.execute(select(gate.c.store_id, gate.c.secret_mark)).one()
        if row.secret_mark not in (None, check_value):
            raise StoreUnavailable(
                f"The {KEY} of the backup does not belong to its database. Replace it with the "
                "secret of the store that was backed up."
            )
        store_id: str = row.store_id or secrets.token_hex(16)
        connection.execute(update(gate).values(store_id=store_id, secret_mark=check_value))
    return store_id


def _claim_storage(storage: Storage, store_id: str) -> None:
    """Write the store id to an empty storage, before any artifact."""
    found = storage.read_store_id()
    if found != store_id and storage.names(ARTIFACTS):
        raise StoreUnavailable(
            "The storage has artifacts of another store. Set FRTSVM_ARTIFACTS to an empty location."
        )
    storage.write_store_id(store_id)


def _install_secret(secret: bytes, home: Path, secret_file: Path | None) -> None:
    path = secret_file or home / KEY
    if secret_file is None and not path.exists():
        write_secret(path, secret)
    if read_secret(path) != secret:
        raise StoreUnavailable(
            f"{path} is not the secret of the backup. Copy the {KEY} of the backup to it."
        )


def _copy_database(target: Database, copy: Database) -> None:
    if target.is_sqlite:
        copy_sqlite(copy.path, target.path)
        return
    with copy.read() as connection, target.exclusive() as into:
        copy_rows(connection, into)
