"""Write docs/reproduction.md from the results."""
