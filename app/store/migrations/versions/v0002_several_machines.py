"""Support several machines: heartbeats, generation counter, announced uploads, store id."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Apply the migration."""
    op.add_column(
        "gate", sa.Column("generation", sa.BigInteger(), nullable=False, server_default="0")
    )
    op.add_column("gate", sa.Column("store_id", sa.String(32)))
    op.add_column("gate", sa.Column("secret_mark", sa.String(64)))
    op.execute("UPDATE gate SET schema_version = 2")
    op.create_table(
        "processes",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("beat", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "uploads",
        sa.Column("token", sa.String(32), primary_key=True),
        sa.Column("name", sa.String(128), nullable=False, index=True),
        sa.Column("owner", sa.String(32), nullable=False, index=True),
    )
    if op.get_context().dialect.name == "postgresql":
        for table in ("jobs", "alias_moves"):
            op.alter_column(table, "seq", type_=sa.BigInteger(), existing_nullable=False)
            op.execute(f"ALTER SEQUENCE {table}_seq_seq AS bigint")
