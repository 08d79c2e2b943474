"""Durability settings of SQLite."""

from __future__ import annotations

from pathlib import Path

from app.store.database import Database


def test_sqlite_pragmas_make_commits_durable(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path}/metadata.sqlite3")
    with database.read() as connection:
        pragmas = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    database.close()
    assert pragmas == {
        "journal_mode": "truncate",
        "synchronous": 2,
        "foreign_keys": 1,
        "busy_timeout": 30000,
    }
