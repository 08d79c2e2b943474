"""Tables of the database, the same for SQLite and PostgreSQL.

A change here needs a migration (CONTRIBUTING.md, "Change the database tables").
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    false,
)

metadata = MetaData()

#: SQLite autoincrements only columns of type INTEGER, which has 64 bits there.
Sequence = BigInteger().with_variant(Integer, "sqlite")

#: A single row. On PostgreSQL, exclusive transactions lock it (see `Database.exclusive`).
gate = Table(
    "gate",
    metadata,
    Column("id", Integer, primary_key=True),
    # Read only by releases from before migrations were introduced. They refuse any number but 1.
    Column("schema_version", Integer, nullable=False),
    # Incremented by each change of models, versions or aliases (see `generation`).
    Column("generation", BigInteger, nullable=False, server_default="0"),
    # Store id of the files and key check value of the secret that belong to this database
    # (see `identity`).
    Column("store_id", String(32)),
    Column("secret_mark", String(64)),
)

#: Processes that use the store, on all machines, with the heartbeat counter of each.
processes = Table(
    "processes",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("beat", BigInteger, nullable=False),
)

#: Objects that a process is uploading to a shared storage and has not recorded yet (see `uploads`).
uploads = Table(
    "uploads",
    metadata,
    Column("token", String(32), primary_key=True),
    Column("name", String(128), nullable=False, index=True),
    Column("owner", String(32), nullable=False, index=True),
)

#: The row of a model remains when its versions are deleted, so version numbers are never reused.
models = Table(
    "models",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("last_version", BigInteger, nullable=False),
)

versions = Table(
    "versions",
    metadata,
    Column("model", String(64), primary_key=True),
    Column("version", BigInteger, primary_key=True, autoincrement=False),
    Column("job", String(32), nullable=False, unique=True),
    Column("created_at", String(32), nullable=False),
    Column("predictor_sha256", String(64), nullable=False, index=True),
    Column("predictor_bytes", BigInteger, nullable=False),
    Column("predictor_mac", String(64), nullable=False),
    Column("evidence_sha256", String(64), nullable=False, index=True),
    Column("evidence_bytes", BigInteger, nullable=False),
    Column("evidence_mac", String(64), nullable=False),
    Column("info", Text, nullable=False),
    ForeignKeyConstraint(["model"], ["models.name"]),
)

aliases = Table(
    "aliases",
    metadata,
    Column("model", String(64), primary_key=True),
    Column("alias", String(64), primary_key=True),
    Column("version", BigInteger, nullable=False),
    ForeignKeyConstraint(["model", "version"], ["versions.model", "versions.version"]),
)

#: Earlier versions of each alias, for rollback.
alias_moves = Table(
    "alias_moves",
    metadata,
    Column("seq", Sequence, primary_key=True, autoincrement=True),
    Column("model", String(64), nullable=False),
    Column("alias", String(64), nullable=False),
    Column("version", BigInteger, nullable=False),
    Index("alias_moves_by_alias", "model", "alias"),
)

jobs = Table(
    "jobs",
    metadata,
    Column("seq", Sequence, primary_key=True, autoincrement=True),
    Column("id", String(32), nullable=False, unique=True),
    Column("state", String(16), nullable=False, index=True),
    Column("cancel_requested", Boolean, nullable=False),
    Column("keep_best", Boolean, nullable=False, server_default=false()),
    Column("model", String(64), nullable=False),
    Column("options", Text, nullable=False),
    Column("spool_sha256", String(64), nullable=False),
    Column("spool_bytes", BigInteger, nullable=False),
    Column("spool_mac", String(64), nullable=False),
    Column("estimated_bytes", BigInteger, nullable=False),
    Column("request_id", String(64), nullable=False),
    Column("fence", Integer, nullable=False),
    Column("owner", String(32)),
    Column("beat", Integer, nullable=False),
    Column("progress", Text, nullable=False),
    Column("error", Text),
    Column("version", BigInteger),
    Column("created_at", String(32), nullable=False),
    Column("started_at", String(32)),
    Column("finished_at", String(32)),
    sqlite_autoincrement=True,
)
