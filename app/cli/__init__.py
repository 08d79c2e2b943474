"""The command line. It goes through the same services as HTTP does, not through HTTP."""

from app.cli.main import main

__all__ = ["main"]
