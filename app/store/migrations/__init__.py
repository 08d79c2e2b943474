"""Alembic migrations, applied by `app.store.migrate`."""
