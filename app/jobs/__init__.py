"""Work that takes time: queued in the database, run in processes of its own."""
