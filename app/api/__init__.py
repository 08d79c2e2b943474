"""HTTP layer: translates requests into service calls, and results into responses."""
