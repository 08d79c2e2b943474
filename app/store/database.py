"""Connections, transactions, and every difference between the databases."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from sqlalchemy import Connection, create_engine, event, insert, make_url, select
from sqlalchemy.engine import Engine
from sqlalchemy.exc import DBAPIError, OperationalError

from app.errors import ServiceError, StoreFull, StoreUnavailable
from app.store.schema import SCHEMA_VERSION, gate, metadata

BUSY_TIMEOUT = 30.0
#: What a disk, a quota or a limit on file sizes says when nothing more fits.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def now() -> str:
    """The time as it is stored and shown: UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Database:
    """Read transactions, and write transactions that take turns."""

    def __init__(self, url: str) -> None:
        self._sqlite = make_url(url).get_backend_name() == "sqlite"
        self._engine = _sqlite_engine(url) if self._sqlite else create_engine(url)

    @property
    def is_sqlite(self) -> bool:
        """Whether everything that uses this database runs on one machine."""
        return self._sqlite

    def create_schema(self) -> None:
        """Make the tables unless they are there; refuse those of another version."""
        with self._translated(), self._engine.connect() as connection:
            connection = connection.execution_options(frtsvm_exclusive=True)
            with connection.begin():
                metadata.create_all(connection)
                found = connection.execute(select(gate.c.schema_version)).scalar()
                if found is None:
                    connection.execute(insert(gate).values(id=1, schema_version=SCHEMA_VERSION))
                elif found != SCHEMA_VERSION:
                    raise StoreUnavailable(
                        f"the database has schema {found}, this program needs {SCHEMA_VERSION}"
                    )

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A consistent view."""
        with self._translated(), self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def exclusive(self) -> Iterator[Connection]:
        """A write transaction that no other one, of any process, overlaps.

        Files are renamed and removed inside such a section, so that nobody sweeps a file that is
        just about to be recorded.
        """
        with self._translated(), self._engine.connect() as connection:
            connection = connection.execution_options(frtsvm_exclusive=True)
            with connection.begin():
                if not self._sqlite:
                    connection.execute(select(gate.c.id).with_for_update())
                yield connection

    def close(self) -> None:
        """Give back every connection."""
        self._engine.dispose()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Errors of the driver in our words."""
        try:
            yield
        except OperationalError as error:
            if "full" in str(error.orig):
                raise StoreFull("no space left for the database") from error
            raise StoreUnavailable(f"the database cannot be used: {error.orig}") from error
        except DBAPIError as error:
            if error.connection_invalidated:
                raise StoreUnavailable("the connection to the database was lost") from error
            raise
        except ServiceError:
            raise
        except OSError as error:
            raise storage_error(error) from error


def storage_error(error: OSError) -> ServiceError:
    """A failed write in our words."""
    if error.errno in FULL:
        return StoreFull("no space left in the store")
    return StoreUnavailable(f"the store cannot be written: {error.strerror or error}")


def _sqlite_engine(url: str) -> Engine:
    engine = create_engine(
        url,
        connect_args={"timeout": BUSY_TIMEOUT, "check_same_thread": False},
        pool_size=8,
        max_overflow=64,
    )

    @event.listens_for(engine, "connect")
    def _configure(connection: sqlite3.Connection, _record: object) -> None:
        # The driver must not start transactions by itself: BEGIN is ours (below).
        connection.isolation_level = None
        cursor = connection.cursor()
        # Not WAL: before SQLite 3.51.3 several writing processes can corrupt it.
        cursor.execute("PRAGMA journal_mode=TRUNCATE")
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # IMMEDIATE takes the write lock at once, so that two writers queue instead of one failing.
        exclusive = connection.get_execution_options().get("frtsvm_exclusive", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if exclusive else "BEGIN")

    return engine
