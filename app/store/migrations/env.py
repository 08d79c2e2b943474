"""Alembic environment: run the migrations in the transaction of the caller."""

from __future__ import annotations

from alembic import context

from app.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # The caller's transaction holds the lock. SQLite can roll back schema changes too.
    transactional_ddl=True,
)
context.run_migrations()
