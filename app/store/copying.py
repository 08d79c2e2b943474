"""Rows and files from one store to another."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, insert, select, text, update

from app.schemas.jobs import JobState
from app.store.database import Database, now
from app.store.plain import digest_of, is_plain_file
from app.store.schema import alias_moves, aliases, gate, jobs, models, versions
from app.store.storage import Storage, artifact_name, spool_name

#: In an order in which each row finds what it refers to.
TABLES = (models, versions, aliases, alias_moves, jobs)
#: Tables whose numbers the database gives out.
COUNTED = ("jobs", "alias_moves")
ROWS_AT_A_TIME = 500
WAITING = [state.value for state in JobState if not state.ended]


@dataclass(frozen=True)
class Copied:
    """What a copy holds."""

    versions: int
    jobs: int
    artifacts: int
    damaged: tuple[str, ...]
    """Digests of artifacts that were missing or not what had been written."""


def copy_rows(source: Connection, target: Connection) -> None:
    """Everything that a database knows, into an empty one of the same schema."""
    for table in TABLES:
        found = source.execute(select(table)).mappings()
        for some in found.partitions(ROWS_AT_A_TIME):
            target.execute(insert(table), [dict(row) for row in some])
    marks = select(gate.c.generation, gate.c.store_id, gate.c.secret_mark)
    target.execute(update(gate).values(**source.execute(marks).mappings().one()))
    if target.dialect.name == "postgresql":
        for name in COUNTED:
            target.execute(
                text(
                    f"SELECT setval(pg_get_serial_sequence('{name}', 'seq'), "  # noqa: S608
                    f"(SELECT coalesce(max(seq), 0) + 1 FROM {name}), false)"
                )
            )


def digests_of(connection: Connection) -> set[str]:
    """All artifacts that versions refer to."""
    columns = (versions.c.predictor_sha256, versions.c.evidence_sha256)
    return {sha256 for column in columns for sha256 in connection.execute(select(column)).scalars()}


def copy_files(source: Storage, target: Storage, database: Database) -> Copied:
    """All files that a copied database names, each compared with its digest."""
    with database.read() as connection:
        digests = digests_of(connection)
        n_versions = connection.execute(select(func.count()).select_from(versions)).scalar_one()
        n_jobs = connection.execute(select(func.count()).select_from(jobs)).scalar_one()
        waiting = connection.execute(
            select(jobs.c.id, jobs.c.spool_sha256).where(jobs.c.state.in_(WAITING))
        ).all()
    damaged = [
        sha256
        for sha256 in sorted(digests)
        if not _copy_file(source, target, artifact_name(sha256), sha256)
    ]
    lost = [
        row.id
        for row in waiting
        if not _copy_file(source, target, spool_name(row.id), row.spool_sha256)
    ]
    if lost:
        _end_jobs(database, lost)
    return Copied(n_versions, n_jobs, len(digests) - len(damaged), tuple(damaged))


def _copy_file(source: Storage, target: Storage, name: str, sha256: str) -> bool:
    """Whether the file was there and is what it should be."""
    staged = target.staging / f"copy.{secrets.token_hex(8)}"
    try:
        found = source.fetch(name, staged)
        if not is_plain_file(found):
            return False
        if found != staged:
            shutil.copyfile(found, staged)
        with staged.open("rb") as file:
            if digest_of(file) != sha256:
                return False
            os.fsync(file.fileno())
        target.put(staged, name, sha256)
        return True
    finally:
        staged.unlink(missing_ok=True)


def _end_jobs(database: Database, lost: list[str]) -> None:
    """Jobs that ended while the copy was made: what came of them came too late for it."""
    detail = "the training ended after the copy of the database was taken"
    values: dict[str, Any] = {
        "state": JobState.FAILED.value,
        "error": json.dumps({"code": "interrupted", "detail": detail, "errors": []}),
        "finished_at": now(),
    }
    with database.write() as connection:
        connection.execute(update(jobs).where(jobs.c.id.in_(lost)).values(**values))
