"""Steps from each schema to the next, applied by `app.store.migrate`."""
