"""Fits on data that do not fit into the memory of the workers."""
