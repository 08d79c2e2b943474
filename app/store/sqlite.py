"""SQLite engine, for services on a single machine."""

from __future__ import annotations

import sqlite3

from sqlalchemy import Connection, create_engine, event
from sqlalchemy.engine import URL, Engine

#: Seconds that a writer waits for the write lock.
BUSY_TIMEOUT = 30.0


def sqlite_engine(url: URL) -> Engine:
    """Create an engine with durable commits, whose writers wait for each other."""
    engine = create_engine(
        url,
        connect_args={"timeout": BUSY_TIMEOUT, "check_same_thread": False},
        pool_size=8,
        max_overflow=64,
    )

    @event.listens_for(engine, "connect")
    def _configure(connection: sqlite3.Connection, _record: object) -> None:
        # The driver must not start transactions by itself: `_begin` does.
        connection.isolation_level = None
        cursor = connection.cursor()
        # Not WAL: before SQLite 3.51.3, connections that write at the same time can corrupt the
        # database (https://www.sqlite.org/wal.html#walresetbug).
        cursor.execute("PRAGMA journal_mode=TRUNCATE")
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # IMMEDIATE takes the write lock first, so that a second writer waits instead of failing.
        writing = connection.get_execution_options().get("frtsvm_writing", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine
