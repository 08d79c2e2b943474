"""Create the tables as they were before migrations were introduced."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Apply the migration."""
    gate = op.create_table(
        "gate",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("schema_version", sa.Integer(), nullable=False),
    )
    op.bulk_insert(gate, [{"id": 1, "schema_version": 1}])
    op.create_table(
        "models",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("last_version", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "versions",
        sa.Column("model", sa.String(64), primary_key=True),
        sa.Column("version", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("job", sa.String(32), nullable=False, unique=True),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("predictor_sha256", sa.String(64), nullable=False, index=True),
        sa.Column("predictor_bytes", sa.BigInteger(), nullable=False),
        sa.Column("predictor_mac", sa.String(64), nullable=False),
        sa.Column("evidence_sha256", sa.String(64), nullable=False, index=True),
        sa.Column("evidence_bytes", sa.BigInteger(), nullable=False),
        sa.Column("evidence_mac", sa.String(64), nullable=False),
        sa.Column("info", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["model"], ["models.name"]),
    )
    op.create_table(
        "aliases",
        sa.Column("model", sa.String(64), primary_key=True),
        sa.Column("alias", sa.String(64), primary_key=True),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["model", "version"], ["versions.model", "versions.version"]),
    )
    op.create_table(
        "alias_moves",
        sa.Column("seq", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("model", sa.String(64), nullable=False),
        sa.Column("alias", sa.String(64), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
    )
    op.create_index("alias_moves_by_alias", "alias_moves", ["model", "alias"])
    op.create_table(
        "jobs",
        sa.Column("seq", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(32), nullable=False, unique=True),
        sa.Column("state", sa.String(16), nullable=False, index=True),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("model", sa.String(64), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("spool_sha256", sa.String(64), nullable=False),
        sa.Column("spool_bytes", sa.BigInteger(), nullable=False),
        sa.Column("spool_mac", sa.String(64), nullable=False),
        sa.Column("estimated_bytes", sa.BigInteger(), nullable=False),
        sa.Column("request_id", sa.String(64), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(32)),
        sa.Column("beat", sa.Integer(), nullable=False),
        sa.Column("progress", sa.Text(), nullable=False),
        sa.Column("error", sa.Text()),
        sa.Column("version", sa.BigInteger()),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("started_at", sa.String(32)),
        sa.Column("finished_at", sa.String(32)),
        sqlite_autoincrement=True,
    )
