"""Training jobs: queued in the database, each run in a separate process."""
