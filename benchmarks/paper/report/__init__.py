"""From results to docs/reproduction.md."""
