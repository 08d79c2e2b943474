"""Reliability tests: inject faults and check invariants after each (docs/reliability.md)."""
