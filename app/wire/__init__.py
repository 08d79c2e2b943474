"""Conversion of bytes to tables and of predictions to bytes, independent of HTTP."""
