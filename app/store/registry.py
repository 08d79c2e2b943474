"""Model registry: models, their versions and aliases."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from app.errors import (
    AliasNotFound,
    ModelNotFound,
    NothingToRollBack,
    ServiceError,
    VersionInUse,
    VersionNotFound,
)
from app.store.database import Database, now
from app.store.files import Files, Seal
from app.store.generation import SharedGeneration
from app.store.schema import alias_moves, aliases, models, versions
from app.store.storage import artifact_name
from app.store.uploads import Uploads

log = logging.getLogger("frtsvm.store")

#: The alias that is used when a request names neither version nor alias.
PRODUCTION = "production"
PREDICTOR = "predictor"
EVIDENCE = "evidence"
#: Files removed per exclusive transaction, which blocks all processes that record files.
DELETE_BATCH = 25


@dataclass(frozen=True)
class VersionRecord:
    """One row of `versions`."""

    model: str
    version: int
    job: str
    created_at: str
    predictor: Seal
    evidence: Seal
    info: dict[str, Any]

    @classmethod
    def of(cls, row: Row[Any]) -> VersionRecord:
        """Build a record from a row of `versions`."""
        return cls(
            model=row.model,
            version=row.version,
            job=row.job,
            created_at=row.created_at,
            predictor=Seal(row.predictor_sha256, row.predictor_bytes, row.predictor_mac),
            evidence=Seal(row.evidence_sha256, row.evidence_bytes, row.evidence_mac),
            info=json.loads(row.info),
        )


@dataclass(frozen=True)
class ModelRecord:
    """Name, newest version and number of versions of a model."""

    name: str
    latest: int
    n_versions: int


def insert_version(
    connection: Connection,
    model: str,
    job: str,
    predictor: Seal,
    evidence: Seal,
    info: dict[str, Any],
) -> int:
    """Insert a version under the next number of its model; needs an exclusive transaction."""
    last = connection.execute(select(models.c.last_version).where(models.c.name == model)).scalar()
    if last is None:
        connection.execute(insert(models).values(name=model, last_version=0))
    number = (last or 0) + 1
    connection.execute(update(models).where(models.c.name == model).values(last_version=number))
    connection.execute(
        insert(versions).values(
            model=model,
            version=number,
            job=job,
            created_at=now(),
            predictor_sha256=predictor.sha256,
            predictor_bytes=predictor.size,
            predictor_mac=predictor.mac,
            evidence_sha256=evidence.sha256,
            evidence_bytes=evidence.size,
            evidence_mac=evidence.mac,
            info=json.dumps(info),
        )
    )
    return number


class Registry:
    """Reads and changes models, versions and aliases."""

    def __init__(
        self, database: Database, files: Files, uploads: Uploads, generation: SharedGeneration
    ) -> None:
        self._database = database
        self._files = files
        self._uploads = uploads
        self._generation = generation

    # --- queries
    def page_of_models(self, limit: int, offset: int) -> tuple[list[ModelRecord], int]:
        """Return a page of the models that have versions, by name, and their total number."""
        grouped = select(
            versions.c.model, func.max(versions.c.version), func.count(versions.c.version)
        ).group_by(versions.c.model)
        with self._database.read() as connection:
            total = connection.execute(
                select(func.count(func.distinct(versions.c.model)))
            ).scalar_one()
            rows = connection.execute(
                grouped.order_by(self._database.by_bytes(versions.c.model))
                .limit(limit)
                .offset(offset)
            ).all()
        return [ModelRecord(*row) for row in rows], total

    def page_of_versions(
        self, model: str, limit: int, offset: int
    ) -> tuple[list[VersionRecord], int, dict[str, int]]:
        """Return a page of versions, newest first, their total number, and the aliases."""
        of_model = versions.c.model == model
        with self._database.read() as connection:
            total = connection.execute(
                select(func.count()).select_from(versions).where(of_model)
            ).scalar_one()
            rows = connection.execute(
                select(versions)
                .where(of_model)
                .order_by(versions.c.version.desc())
                .limit(limit)
                .offset(offset)
            ).all()
            pointers = _aliases_of(connection, model)
        if not total:
            raise ModelNotFound(f"There is no model {model!r}.")
        return [VersionRecord.of(row) for row in rows], total, pointers

    def aliases_of(self, model: str) -> dict[str, int]:
        """Return the aliases of a model and the version that each points to."""
        with self._database.read() as connection:
            return _aliases_of(connection, model)

    def resolve(
        self, model: str, version: int | None = None, alias: str | None = None
    ) -> VersionRecord:
        """Return a version by number or alias; default: alias `production`, else the newest."""
        with self._database.read() as connection:
            if version is None:
                version = _target(connection, model, alias)
            row = connection.execute(
                select(versions).where(versions.c.model == model, versions.c.version == version)
            ).one_or_none()
            if row is None:
                _require_model(connection, model)
                raise VersionNotFound(f"Model {model!r} has no version {version}.")
        return VersionRecord.of(row)

    # --- changes
    def delete_version(self, model: str, version: int) -> None:
        """Delete a version; raise `VersionInUse` if an alias points to it."""
        with self._database.exclusive() as connection:
            here = (versions.c.model == model, versions.c.version == version)
            row = connection.execute(select(versions).where(*here)).one_or_none()
            if row is None:
                _require_model(connection, model)
                raise VersionNotFound(f"Model {model!r} has no version {version}.")
            pointing = [
                name for name, at in _aliases_of(connection, model).items() if at == version
            ]
            if pointing:
                raise VersionInUse(
                    f"Alias {pointing[0]!r} points to version {version}. "
                    "Move or remove the alias first."
                )
            connection.execute(delete(versions).where(*here))
            self._generation.record_change(connection)
        self._generation.advance()
        self.drop_unused([row.predictor_sha256, row.evidence_sha256])

    def delete_model(self, model: str) -> None:
        """Delete all versions and aliases of a model."""
        with self._database.exclusive() as connection:
            rows = connection.execute(select(versions).where(versions.c.model == model)).all()
            if not rows:
                raise ModelNotFound(f"There is no model {model!r}.")
            connection.execute(delete(aliases).where(aliases.c.model == model))
            connection.execute(delete(alias_moves).where(alias_moves.c.model == model))
            connection.execute(delete(versions).where(versions.c.model == model))
            self._generation.record_change(connection)
        self._generation.advance()
        self.drop_unused(
            [digest for row in rows for digest in (row.predictor_sha256, row.evidence_sha256)]
        )

    def move_alias(self, model: str, alias: str, version: int) -> int | None:
        """Point an alias to a version; return the version it pointed to before."""
        here = (aliases.c.model == model, aliases.c.alias == alias)
        with self._database.exclusive() as connection:
            found = connection.execute(
                select(versions.c.version).where(
                    versions.c.model == model, versions.c.version == version
                )
            ).scalar()
            if found is None:
                _require_model(connection, model)
                raise VersionNotFound(f"Model {model!r} has no version {version}.")
            before = connection.execute(select(aliases.c.version).where(*here)).scalar()
            if before is None:
                connection.execute(
                    insert(aliases).values(model=model, alias=alias, version=version)
                )
            elif before != version:
                connection.execute(update(aliases).where(*here).values(version=version))
                connection.execute(
                    insert(alias_moves).values(model=model, alias=alias, version=before)
                )
            self._generation.record_change(connection)
        self._generation.advance()
        return before

    def roll_back_alias(self, model: str, alias: str) -> tuple[int, int]:
        """Point an alias to its previous version; return (new version, old version)."""
        here = (aliases.c.model == model, aliases.c.alias == alias)
        moves = (alias_moves.c.model == model, alias_moves.c.alias == alias)
        with self._database.exclusive() as connection:
            current = connection.execute(select(aliases.c.version).where(*here)).scalar()
            if current is None:
                _require_model(connection, model)
                raise AliasNotFound(f"Model {model!r} has no alias {alias!r}.")
            exists = (
                select(versions.c.version)
                .where(versions.c.model == model, versions.c.version == alias_moves.c.version)
                .exists()
            )
            earlier = connection.execute(
                select(alias_moves.c.seq, alias_moves.c.version)
                .where(*moves, exists, alias_moves.c.version != current)
                .order_by(alias_moves.c.seq.desc())
                .limit(1)
            ).one_or_none()
            if earlier is None:
                raise NothingToRollBack(
                    f"Alias {alias!r} of model {model!r} cannot be rolled back: "
                    "no version that it pointed to before still exists."
                )
            connection.execute(update(aliases).where(*here).values(version=earlier.version))
            connection.execute(delete(alias_moves).where(*moves, alias_moves.c.seq >= earlier.seq))
            self._generation.record_change(connection)
        self._generation.advance()
        return earlier.version, current

    def remove_alias(self, model: str, alias: str) -> None:
        """Delete an alias and its history."""
        with self._database.exclusive() as connection:
            removed = connection.execute(
                delete(aliases).where(aliases.c.model == model, aliases.c.alias == alias)
            ).rowcount
            if not removed:
                _require_model(connection, model)
                raise AliasNotFound(f"Model {model!r} has no alias {alias!r}.")
            connection.execute(
                delete(alias_moves).where(
                    alias_moves.c.model == model, alias_moves.c.alias == alias
                )
            )
            self._generation.record_change(connection)
        self._generation.advance()

    # --- files
    def load_predictor(self, record: VersionRecord) -> dict[str, Any]:
        """Load the arrays needed for predictions."""
        return self._files.load_artifact(record.predictor, PREDICTOR)

    def load_evidence(self, record: VersionRecord) -> dict[str, Any]:
        """Load the evidence: memberships and distances of the training rows."""
        return self._files.load_artifact(record.evidence, EVIDENCE)

    def looks_whole(self, record: VersionRecord) -> bool:
        """Whether both files exist with the recorded sizes; their contents are not read."""
        return self._files.artifact_looks_whole(
            record.predictor
        ) and self._files.artifact_looks_whole(record.evidence)

    def remove_unused_artifacts(self) -> int:
        """Remove artifacts that no version refers to; return the number of removed files."""
        stored = self._files.stored_artifacts()
        with self._database.read() as connection:  # nearly all are in use; do not lock for those
            used = _digests_in_use(connection)
        return self._drop_unused([sha256 for sha256 in stored if sha256 not in used])

    def drop_unused(self, candidates: list[str]) -> None:
        """Remove those of the artifacts that no version refers to.

        If this fails, a warning is logged and garbage collection removes them later.
        """
        try:
            self._drop_unused(candidates)
        except ServiceError as error:
            log.warning(
                "cannot remove unused artifacts, retrying later", extra={"why": error.detail}
            )

    def _drop_unused(self, candidates: list[str]) -> int:
        """Remove artifacts that are not in use; return their number.

        Equal models share a file, so use is checked in the transaction that removes it: no process
        can record a version meanwhile.
        """
        dropped = 0
        unique = sorted(set(candidates))
        for start in range(0, len(unique), DELETE_BATCH):
            batch = unique[start : start + DELETE_BATCH]
            with self._database.exclusive() as connection:
                used = _digests_in_use(connection, batch)
                names = {artifact_name(sha256) for sha256 in batch if sha256 not in used}
                unused = names - self._uploads.in_progress(connection, names)
                self._files.storage.delete(unused)
            dropped += len(unused)
        return dropped


def _digests_in_use(connection: Connection, among: list[str] | None = None) -> set[str]:
    """Return the digests that versions refer to."""
    found: set[str] = set()
    for column in (versions.c.predictor_sha256, versions.c.evidence_sha256):
        query = select(column)
        if among is not None:
            query = query.where(column.in_(among))
        found.update(connection.execute(query).scalars())
    return found


def _aliases_of(connection: Connection, model: str) -> dict[str, int]:
    rows = connection.execute(
        select(aliases.c.alias, aliases.c.version).where(aliases.c.model == model)
    ).all()
    return {row.alias: row.version for row in sorted(rows, key=lambda row: row.alias)}


def _target(connection: Connection, model: str, alias: str | None) -> int:
    pointers = _aliases_of(connection, model)
    if alias is not None and alias not in pointers:
        _require_model(connection, model)
        raise AliasNotFound(f"Model {model!r} has no alias {alias!r}.")
    wanted = alias or PRODUCTION
    if wanted in pointers:
        return pointers[wanted]
    return _require_model(connection, model)


def _require_model(connection: Connection, model: str) -> int:
    """Return the newest version of a model; raise `ModelNotFound` if it has none."""
    newest = connection.execute(
        select(func.max(versions.c.version)).where(versions.c.model == model)
    ).scalar()
    if newest is None:
        raise ModelNotFound(f"There is no model {model!r}.")
    return int(newest)
