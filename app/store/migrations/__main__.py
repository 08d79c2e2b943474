"""Generate the migration from the newest revision to `app.store.schema`. For developers."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from alembic import command

from app.store.database import Database
from app.store.migrate import config_for, known_revisions


def main(name: str) -> None:
    """Write a migration from the newest revision to the declared schema."""
    number = f"{int(known_revisions()[-1]) + 1:04}"
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{Path(folder)}/newest.sqlite3")
        database.migrate()
        with database.write() as connection:
            command.revision(config_for(connection), name, autogenerate=True, rev_id=number)
        database.close()


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].strip():
        sys.exit('Give the migration a name: make migration NAME="what it does".')
    main(sys.argv[1])
