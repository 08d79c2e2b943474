"""The command line. It calls the same services as the HTTP routes, without HTTP."""

from app.cli.main import main

__all__ = ["main"]
