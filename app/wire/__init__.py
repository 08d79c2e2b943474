"""Bytes to tables, and answers to bytes: one file per format, none of which knows HTTP."""
