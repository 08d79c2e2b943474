"""`frtsvm serve`, apart from the other commands: the process that only supervises workers should
not load the numerical libraries first."""

from __future__ import annotations

import argparse
import os
import sys

from app.api.server import RefusedToListen, require_safe, serve
from app.settings import Settings
from app.store.database import Database


def run_serve(options: argparse.Namespace) -> int:
    """Serve. The workers read the same environment, so that is where the options go."""
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
    """Bring the database up to date, or say why not, once and before there are workers."""
    database = Database(url)
    try:
        database.migrate()
    finally:
        database.close()
