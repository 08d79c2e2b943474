"""Connections, transactions, and the differences between SQLite and PostgreSQL."""

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
    DISK_FULL_CODE,
    MIGRATION_LOCK,
    UNAVAILABLE_CODES,
    code_of,
    postgres_engine,
)
from app.store.schema import gate
from app.store.sqlite import sqlite_engine

log = logging.getLogger("frtsvm.store")

#: Error numbers of a full disk, an exceeded quota and an exceeded limit on file sizes.
NO_SPACE_ERRNOS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
#: Default of the maximum number of connections of one process.
CONNECTIONS = 10


def now() -> str:
    """Return the current time as it is stored and shown: ISO 8601, UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Database:
    """Opens read, write and exclusive write transactions."""

    def __init__(self, url: str, connections: int = CONNECTIONS) -> None:
        try:
            parsed = make_url(url)
        except ArgumentError as error:  # the message omits the URL, which may contain a password
            raise StoreUnavailable(
                "FRTSVM_DATABASE_URL is not a valid URL. Use postgresql://... or sqlite:///..."
            ) from error
        backend = {"postgres": "postgresql"}.get(parsed.drivername, parsed.get_backend_name())
        self._sqlite = backend == "sqlite"
        if self._sqlite:
            self._path = Path(parsed.database or "")
            self._engine = sqlite_engine(parsed)
        elif backend == "postgresql":
            self._engine = postgres_engine(parsed, connections)
        else:
            raise StoreUnavailable(
                f"The database {backend!r} is not supported. Use sqlite or postgresql."
            )
        self._reading = self._engine if self._sqlite else _with_snapshot_isolation(self._engine)

    @property
    def is_sqlite(self) -> bool:
        """Whether this is SQLite, which only processes of one machine can share."""
        return self._sqlite

    @property
    def path(self) -> Path:
        """File of the SQLite database."""
        return self._path

    # --- the schema
    def migrate(self) -> bool:
        """Migrate the schema to the version of this program; True if it changed."""
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
                return migrate.apply(connection, self._copy_before_migration)

    def revision(self) -> str | None:
        """Return the schema revision of the database; None if it is empty."""
        with self.read() as connection:
            return migrate.revision_of(connection)

    def schema_differences(self) -> list[Any]:
        """Return the differences between the tables and the declared schema."""
        with self.read() as connection:
            return migrate.differences(connection)

    def _copy_before_migration(self, revision: str) -> None:
        """Back up a SQLite file. The transaction of the caller holds the write lock meanwhile."""
        if self._sqlite:
            target = self._path.with_name(f"{self._path.name}.before-{migrate.HEAD}")
            migrate.copy_sqlite(self._path, target)
            log.info(
                "database backed up before migration",
                extra={"schema": revision, "copy": str(target)},
            )

    # --- transactions
    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A read transaction, whose statements all see the same snapshot."""
        with self._translated(), self._reading.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A write transaction. On PostgreSQL, other write transactions may run concurrently.

        Therefore a change must not depend on an earlier read, unless that read has locked the row:
        the conditions of a change belong in its WHERE clause.
        """
        with self._translated(), self._engine.connect() as connection:
            connection = connection.execution_options(frtsvm_writing=True)
            with connection.begin():
                yield connection

    @contextmanager
    def exclusive(self) -> Iterator[Connection]:
        """A write transaction that excludes all other exclusive ones, of any process.

        New files are recorded, and unused files are removed, in such transactions, so that garbage
        collection cannot remove a file that is about to be recorded.
        """
        with self.write() as connection:
            if not self._sqlite:
                connection.execute(select(gate.c.id).with_for_update())
            yield connection

    def by_bytes(self, column: ColumnElement[str]) -> ColumnElement[str]:
        """Return a column for ORDER BY that sorts by bytes, whatever the locale of the database."""
        return column if self._sqlite else column.collate("C")

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Translate errors of the driver to the service's own error classes."""
        try:
            yield
        except PoolTimeout as error:
            raise StoreUnavailable(
                "All connections to the database are in use. "
                "Try again later, or raise FRTSVM_DATABASE_CONNECTIONS."
            ) from error
        except DBAPIError as error:
            raise self._translate(error) from error
        except ServiceError:
            raise
        except OSError as error:
            raise storage_error(error) from error

    def _translate(self, error: DBAPIError) -> Exception:
        if self._sqlite:
            if not isinstance(error, OperationalError):
                return error
            if "full" in str(error.orig):
                return StoreFull("No space is left for the database. Free disk space.")
            return StoreUnavailable(
                f"The SQLite database cannot be used: {error.orig}. Try again later. If this "
                "persists, check the permissions of its file and folder."
            )
        # The driver's message may contain host and user names, so it goes to the log only.
        code = code_of(error)
        if code == DISK_FULL_CODE:
            return StoreFull("No space is left for the database. Free disk space.")
        if error.connection_invalidated or (not code and isinstance(error, OperationalError)):
            return StoreUnavailable(
                "The database cannot be reached. Try again later, or check FRTSVM_DATABASE_URL."
            )
        if code.startswith(UNAVAILABLE_CODES) or isinstance(error, OperationalError):
            return StoreUnavailable(
                f"The database cannot be used at the moment (SQLSTATE {code}). Try again later, or "
                "look up this error code in the documentation of PostgreSQL."
            )
        return error


def storage_error(error: OSError) -> ServiceError:
    """Translate a failed write to the service's own error classes."""
    if error.errno in NO_SPACE_ERRNOS:
        return StoreFull("No space is left in the store. Delete models, or enlarge the storage.")
    return StoreUnavailable(
        f"The store cannot be written: {error.strerror or error}. "
        "Check the folders in FRTSVM_HOME and, if it is set, FRTSVM_ARTIFACTS."
    )


def _with_snapshot_isolation(engine: Engine) -> Engine:
    """Return the engine with read-only transactions that see a single snapshot."""
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
