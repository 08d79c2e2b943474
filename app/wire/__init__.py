"""Formats: bytes to arrays and back. Knows nothing of HTTP."""
