"""What alembic runs: the steps, on the connection and in the transaction it is given."""

from __future__ import annotations

from alembic import context

from app.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # The caller's transaction holds the lock; SQLite rolls back changes of tables as well.
    transactional_ddl=True,
)
context.run_migrations()
