"""Metadata in SQL, arrays in files, and the order of steps that keeps the two in agreement."""
