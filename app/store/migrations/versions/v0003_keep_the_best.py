"""A search that is asked to end may keep the best it has found."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Apply."""
    op.add_column(
        "jobs", sa.Column("keep_best", sa.Boolean(), nullable=False, server_default=sa.false())
    )
