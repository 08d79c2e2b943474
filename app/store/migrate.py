"""Migrate a database to the schema that this program needs.

Every process does this when it starts. The first one applies the migrations in one transaction; the
others wait for it. Alembic is imported only if a migration is needed.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, inspect, text

from app.errors import StoreUnavailable

if TYPE_CHECKING:
    from alembic.config import Config

log = logging.getLogger("frtsvm.store")

#: The newest revision; a test compares it with the migration files.
HEAD = "0003"
#: Revision of databases created before migrations were introduced.
BEFORE_MIGRATIONS = "0001"


def revision_of(connection: Connection) -> str | None:
    """Return the revision of a database; None if it is empty."""
    tables = inspect(connection)
    if tables.has_table("alembic_version"):
        found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
        return None if found is None else str(found)
    if tables.has_table("gate"):
        number = connection.execute(text("SELECT schema_version FROM gate")).scalar()
        if number not in (None, 1):
            raise StoreUnavailable(
                f"The database has schema {number}, which this program does not know. Start the "
                "version of the service that wrote it."
            )
        return BEFORE_MIGRATIONS
    return None


def require_known(revision: str | None) -> None:
    """Raise `StoreUnavailable` if a newer version of the program has migrated the database."""
    if revision is not None and revision not in known_revisions():
        raise StoreUnavailable(
            f"The database has schema {revision}, but this program knows schemas up to {HEAD}. "
            "The database was used by a newer version of the service; start that version."
        )


def known_revisions() -> list[str]:
    """Return all revisions, oldest first."""
    from alembic.script import ScriptDirectory

    steps = ScriptDirectory.from_config(config_for()).walk_revisions()
    return [step.revision for step in reversed(list(steps))]


def apply(connection: Connection, before_changing: Callable[[str], None]) -> bool:
    """Apply the missing migrations; True if there were any.

    Needs a transaction that excludes all others. `before_changing` is called with the present
    revision before a database with data is changed.
    """
    revision = revision_of(connection)
    if revision == HEAD:
        return False
    require_known(revision)
    if revision is not None:
        before_changing(revision)
    from alembic import command

    config = config_for(connection)
    if revision == BEFORE_MIGRATIONS and not inspect(connection).has_table("alembic_version"):
        command.stamp(config, BEFORE_MIGRATIONS)
    command.upgrade(config, HEAD)
    log.info("database migrated", extra={"before": revision, "after": HEAD})
    return True


def differences(connection: Connection) -> list[Any]:
    """Return the differences between the tables and the declared schema."""
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    from app.store.schema import metadata

    context = MigrationContext.configure(connection, opts={"compare_type": True})
    found: list[Any] = compare_metadata(context, metadata)
    return found


def copy_sqlite(source: Path, target: Path) -> None:
    """Copy a database that may be in use. `target` appears only when the copy is complete."""
    import sqlite3
    from contextlib import closing

    temporary = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    temporary.unlink(missing_ok=True)
    os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(temporary)) as new:
            old.backup(new)
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def config_for(connection: Connection | None = None) -> Config:
    """Return the configuration of Alembic, which needs no file here."""
    from alembic.config import Config

    config = Config()
    folder = str(Path(__file__).with_name("migrations"))
    config.set_main_option("script_location", folder.replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.set_main_option("file_template", "v%%(rev)s_%%(slug)s")
    config.attributes["connection"] = connection
    return config
