"""The studio: one page to train, look and understand, out of the package's own files."""
