"""`frtsvm backup` and `frtsvm restore`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.store.copying import Copied


def add_backup_commands(commands: Any) -> None:
    """Add the options of the commands."""
    backup = commands.add_parser("backup", help="copy the whole store, while the service runs")
    backup.add_argument("target", type=Path, help="a folder that does not exist yet")
    restore = commands.add_parser("restore", help="make a store from such a copy")
    restore.add_argument("source", type=Path, help="a folder that `frtsvm backup` has made")


def run_backup(options: argparse.Namespace) -> int:
    """Run `frtsvm backup`."""
    from app.settings import Settings
    from app.store.backup import back_up
    from app.store.secret import secret_of
    from app.store.store import Store

    settings = Settings()
    with Store.of(settings) as store:
        secret = secret_of(settings.home, settings.secret_file)
        return _report(back_up(store, secret, options.target.absolute()))


def run_restore(options: argparse.Namespace) -> int:
    """Run `frtsvm restore`."""
    from app.settings import Settings
    from app.store.backup import restore

    settings = Settings()
    return _report(
        restore(
            options.source.absolute(),
            settings.home,
            settings.url,
            settings.artifacts,
            settings.secret_file,
        )
    )


def _report(copied: Copied) -> int:
    print(f"{copied.versions} versions, {copied.jobs} jobs, {copied.artifacts} artifacts")
    for sha256 in copied.damaged:
        print(f"frtsvm: artifact {sha256} is damaged and was left out", file=sys.stderr)
    return 1 if copied.damaged else 0
