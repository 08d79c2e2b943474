"""`frtsvm db`: the schema of the database."""

from __future__ import annotations

import argparse
from typing import Any


def add_db_command(commands: Any) -> None:
    """Add the options of the command."""
    db = commands.add_parser(
        "db", help="look at the schema of the database, or bring it up to date"
    )
    db.add_argument(
        "action",
        choices=["upgrade", "current", "check"],
        help="upgrade: apply what is missing (every start does it too); current: print the present "
        "schema; check: compare it with what this program needs",
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
            print(f"{HEAD} {'(applied now)' if changed else '(nothing to do)'}")
            return 0
        if database.is_sqlite and not database.path.exists():
            raise StoreUnavailable(f"there is no database at {database.path}")
        found = database.revision()
        if options.action == "current":
            print(found or "empty")
            return 0
        if found != HEAD:
            print(f"the database is at schema {found or 'empty'}, this program needs {HEAD}")
            return 1
        differences = database.schema_differences()
        for difference in differences:
            print(difference)
        print(f"schema {HEAD}: {'as declared' if not differences else 'differs'}")
        return 1 if differences else 0
    finally:
        database.close()
