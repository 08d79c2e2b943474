"""`frtsvm backup` and `frtsvm restore`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.store.copying import Copied


def add_backup_commands(commands: Any) -> None:
    """Add the commands `backup` and `restore`."""
    backup = commands.add_parser(
        "backup",
        help="back up database, models and queued trainings, also while the service runs",
        description="Back up the database, the models and the queued trainings. The service can "
        "keep running.",
    )
    backup.add_argument(
        "target", type=Path, help="folder to write the backup to; it must not exist yet"
    )
    restore = commands.add_parser(
        "restore",
        help="restore a backup into an empty home folder, database and artifact location",
        description="Restore a backup to the home folder (--home or FRTSVM_HOME), the database "
        "(FRTSVM_DATABASE_URL) and the artifact location (FRTSVM_ARTIFACTS). They must be empty.",
    )
    restore.add_argument("source", type=Path, help="folder that `frtsvm backup` has written")


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
    versions, jobs = _counted(copied.versions, "version"), _counted(copied.jobs, "job")
    print(f"Copied {versions}, {jobs} and {_counted(copied.artifacts, 'artifact')}.")
    for sha256 in copied.damaged:
        print(
            f"frtsvm: Artifact {sha256} is damaged and was not copied. Restore it from an older "
            "backup, or train the model again.",
            file=sys.stderr,
        )
    return 1 if copied.damaged else 0


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
