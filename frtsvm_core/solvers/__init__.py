"""Solvers of the box-constrained dual problem of one plane (docs/maths.md, section 6)."""
