"""Distributed fits on data larger than the memory of the workers."""
