"""Benchmarks. Each subpackage is a command: `python -m benchmarks.speed`."""
