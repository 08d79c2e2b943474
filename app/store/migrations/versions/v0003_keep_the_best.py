"""Add `jobs.keep_best`: a cancelled search can keep the best model found so far."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Apply the migration."""
    op.add_column(
        "jobs", sa.Column("keep_best", sa.Boolean(), nullable=False, server_default=sa.false())
    )
