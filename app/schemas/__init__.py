"""Schemas of requests and responses, with the ranges of their values."""
