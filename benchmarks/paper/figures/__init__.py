"""The figures of docs/reproduction.md."""
