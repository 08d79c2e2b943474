"""`frtsvm db`: show, upgrade or check the schema of the database."""

from __future__ import annotations

import argparse
from typing import Any


def add_db_command(commands: Any) -> None:
    """Add the command `db`."""
    db = commands.add_parser(
        "db",
        help="show, upgrade or check the schema of the database",
        description="Show, upgrade or check the schema of the database, which is in the home folder "
        "or at FRTSVM_DATABASE_URL.",
    )
    db.add_argument(
        "action",
        choices=["upgrade", "current", "check"],
        help="upgrade: apply missing migrations, as every start of the service does; current: "
        "print the revision of the schema; check: compare the schema with the one that this "
        "program needs",
    )


def run_db(options: argparse.Namespace) -> int:
    """Run `frtsvm db`."""
    from app.errors import StoreUnavailable
    from app.settings import Settings
    from app.store.database import Database
    from app.store.migrate import HEAD

    database = Database(Settings().url)
    try:
        if options.action == "upgrade":
            changed = database.migrate()
            done = "was upgraded to" if changed else "already has"
            print(f"The database {done} schema {HEAD}.")
            return 0
        if database.is_sqlite and not database.path.exists():
            raise StoreUnavailable(
                f"There is no database at {database.path}. Set --home, FRTSVM_HOME or "
                "FRTSVM_DATABASE_URL, or create it with `frtsvm db upgrade`."
            )
        found = database.revision()
        if options.action == "current":
            print(found or "empty")
            return 0
        if found != HEAD:
            print(
                f"The database has {f'schema {found}' if found else 'no tables'}, but this program "
                f"needs schema {HEAD}. Run `frtsvm db upgrade` if the database is older; otherwise "
                "install a newer version of the program."
            )
            return 1
        differences = database.schema_differences()
        for difference in differences:
            print(difference)
        if differences:
            print(f"The lines above list where the database differs from schema {HEAD}.")
        else:
            print(f"The database has schema {HEAD}, without differences.")
        return 1 if differences else 0
    finally:
        database.close()
