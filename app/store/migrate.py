"""Brings a database to the schema that this program needs.

Every process does this when it starts; whoever is first applies the steps, in one transaction that
the others wait for. alembic is loaded only when there is something to do.
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

#: The newest step; a test asserts it.
HEAD = "0003"
#: The schema of databases that were made before there were migrations.
BEFORE_MIGRATIONS = "0001"


def revision_of(connection: Connection) -> str | None:
    """The step that a database is at; None for an empty one."""
    tables = inspect(connection)
    if tables.has_table("alembic_version"):
        found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
        return None if found is None else str(found)
    if tables.has_table("gate"):
        number = connection.execute(text("SELECT schema_version FROM gate")).scalar()
        if number not in (None, 1):
            raise StoreUnavailable(f"the database has schema {number}, which nothing here knows")
        return BEFORE_MIGRATIONS
    return None


def require_known(revision: str | None) -> None:
    """Refuse a database that a newer program has changed."""
    if revision is not None and revision not in known_revisions():
        raise StoreUnavailable(
            f"the database is at schema {revision}, this program knows {HEAD} at most: "
            "it was used by a newer version, start that one"
        )


def known_revisions() -> list[str]:
    """All steps, oldest first."""
    from alembic.script import ScriptDirectory

    steps = ScriptDirectory.from_config(config_for()).walk_revisions()
    return [step.revision for step in reversed(list(steps))]


def apply(connection: Connection, before_changing: Callable[[str], None]) -> bool:
    """Apply what is missing; inside a transaction that excludes all others. True: it was something.

    `before_changing` is called with the present step when there are data that could be harmed.
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
    """Where the tables differ from what this program declares."""
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    from app.store.schema import metadata

    context = MigrationContext.configure(connection, opts={"compare_type": True})
    found: list[Any] = compare_metadata(context, metadata)
    return found


def copy_sqlite(source: Path, target: Path) -> None:
    """A consistent copy of a database that may be in use, whole under its name or not there."""
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
    """What alembic has to know, without a file of settings."""
    from alembic.config import Config

    config = Config()
    folder = str(Path(__file__).with_name("migrations"))
    config.set_main_option("script_location", folder.replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.set_main_option("file_template", "v%%(rev)s_%%(slug)s")
    config.attributes["connection"] = connection
    return config
