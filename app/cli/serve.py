"""`frtsvm serve`.

It is not in `app.cli.commands`, because the parent of the web processes does not need the numerical
libraries, which take time and memory to load.
"""

from __future__ import annotations

import argparse
import os
import sys

from app.api.server import RefusedToListen, require_safe, serve
from app.settings import Settings
from app.store.database import Database


def run_serve(options: argparse.Namespace) -> int:
    """Serve. Options become environment variables, from which the web processes read settings."""
    for name in ("host", "port", "workers"):
        if getattr(options, name) is not None:
            os.environ[f"FRTSVM_{name.upper()}"] = str(getattr(options, name))
    settings = Settings()
    try:
        require_safe(settings)
        prepare_database(settings.url)
        serve(settings)
    except RefusedToListen as error:
        print(f"frtsvm: {error}", file=sys.stderr)
        return 2
    return 0


def prepare_database(url: str) -> None:
    """Apply missing migrations once, before the web processes start."""
    database = Database(url)
    try:
        database.migrate()
    finally:
        database.close()
