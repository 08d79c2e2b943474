"""Connections, transactions, and every difference between the databases."""

from __future__ import annotations

import errno
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Connection, make_url, select, text
from sqlalchemy.engine import Engine
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from app.errors import ServiceError, StoreFull, StoreUnavailable
from app.store import migrate
from app.store.durable import make_folder
from app.store.postgresql import (
    DISK_FULL,
    MIGRATION_LOCK,
    UNAVAILABLE,
    code_of,
    postgres_engine,
)
from app.store.schema import gate
from app.store.sqlite import sqlite_engine

log = logging.getLogger("frtsvm.store")

#: What a disk, a quota or a limit on file sizes says when nothing more fits.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
#: Connections of one process, unless it says otherwise.
CONNECTIONS = 10


def now() -> str:
    """The time as it is stored and shown: UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Database:
    """Read transactions, write transactions, and write transactions that take turns."""

    def __init__(self, url: str, connections: int = CONNECTIONS) -> None:
        try:
            parsed = make_url(url)
        except ArgumentError as error:  # without the URL: it may hold a password
            raise StoreUnavailable("the address of the database is no URL") from error
        backend = {"postgres": "postgresql"}.get(parsed.drivername, parsed.get_backend_name())
        self._sqlite = backend == "sqlite"
        if self._sqlite:
            self._path = Path(parsed.database or "")
            self._engine = sqlite_engine(parsed)
        elif backend == "postgresql":
            self._engine = postgres_engine(parsed, connections)
        else:
            raise StoreUnavailable(f"no database of kind {backend!r}, but sqlite and postgresql")
        self._reading = self._engine if self._sqlite else _with_snapshots(self._engine)

    @property
    def is_sqlite(self) -> bool:
        """Whether everything that uses this database runs on one machine."""
        return self._sqlite

    @property
    def path(self) -> Path:
        """The file of SQLite."""
        return self._path

    # --- the schema
    def migrate(self) -> bool:
        """Bring the tables to what this program needs; True if something was done."""
        if self._sqlite:
            with self._translated():
                make_folder(self._path.parent)
        if self.revision() == migrate.HEAD:
            return False
        with self._translated(), self._engine.connect() as connection:
            connection = connection.execution_options(frtsvm_writing=True)
            with connection.begin():
                if not self._sqlite:
                    connection.execute(text("SET LOCAL lock_timeout = 0"))
                    connection.execute(text("SET LOCAL statement_timeout = 0"))
                    connection.execute(
                        text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK}
                    )
                return migrate.apply(connection, self._copy_before)

    def revision(self) -> str | None:
        """The step of the schema that the database is at; None if it is empty."""
        with self.read() as connection:
            return migrate.revision_of(connection)

    def schema_differences(self) -> list[Any]:
        """Where the tables differ from what this program declares."""
        with self.read() as connection:
            return migrate.differences(connection)

    def _copy_before(self, revision: str) -> None:
        """Nobody can write meanwhile: the caller's transaction has the lock."""
        if self._sqlite:
            target = self._path.with_name(f"{self._path.name}.before-{migrate.HEAD}")
            migrate.copy_sqlite(self._path, target)
            log.info("database copied", extra={"schema": revision, "copy": str(target)})

    # --- transactions
    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A consistent view: all statements see the same moment."""
        with self._translated(), self._reading.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A write transaction that others may overlap: for changes of one row, guarded by it."""
        with self._translated(), self._engine.connect() as connection:
            connection = connection.execution_options(frtsvm_writing=True)
            with connection.begin():
                yield connection

    @contextmanager
    def exclusive(self) -> Iterator[Connection]:
        """A write transaction that no other exclusive one, of any process, overlaps.

        Files are renamed and removed inside such a section, so that nobody sweeps a file that is
        just about to be recorded.
        """
        with self.write() as connection:
            if not self._sqlite:
                connection.execute(select(gate.c.id).with_for_update())
            yield connection

    def by_bytes(self, column: ColumnElement[str]) -> ColumnElement[str]:
        """For ORDER BY: the same order on every database, whatever language it was set up for."""
        return column if self._sqlite else column.collate("C")

    def close(self) -> None:
        """Give back every connection."""
        self._engine.dispose()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Errors of the driver in our words."""
        try:
            yield
        except PoolTimeout as error:
            raise StoreUnavailable("all connections to the database are in use") from error
        except DBAPIError as error:
            raise self._in_our_words(error) from error
        except ServiceError:
            raise
        except OSError as error:
            raise storage_error(error) from error

    def _in_our_words(self, error: DBAPIError) -> Exception:
        if self._sqlite:
            if not isinstance(error, OperationalError):
                return error
            if "full" in str(error.orig):
                return StoreFull("no space left for the database")
            return StoreUnavailable(f"the database cannot be used: {error.orig}")
        # Not the driver's words: they name hosts and users. The log has them.
        code = code_of(error)
        if code == DISK_FULL:
            return StoreFull("no space left for the database")
        if error.connection_invalidated or (not code and isinstance(error, OperationalError)):
            return StoreUnavailable("the database cannot be reached")
        if code.startswith(UNAVAILABLE) or isinstance(error, OperationalError):
            return StoreUnavailable(f"the database cannot be used at the moment ({code})")
        return error


def storage_error(error: OSError) -> ServiceError:
    """A failed write in our words."""
    if error.errno in FULL:
        return StoreFull("no space left in the store")
    return StoreUnavailable(f"the store cannot be written: {error.strerror or error}")


def _with_snapshots(engine: Engine) -> Engine:
    """The same connections; transactions see one moment and change nothing."""
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
