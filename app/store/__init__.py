"""Metadata in an SQL database, arrays in files, and the write order that keeps them consistent."""
