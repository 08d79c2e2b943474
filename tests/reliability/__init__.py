"""Reliability tests: inject faults and check invariants after each (docs/reliability.md).

Keys such as A1 and C3r at the start of a docstring name rows of the table on that page.
"""
