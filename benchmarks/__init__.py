"""Benchmarks; each is a module to run: `python -m benchmarks.speed`."""
