"""The reliability programme: faults on purpose, and what must hold after each (docs/reliability.md)."""
