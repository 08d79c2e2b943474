"""`frtsvm serve`, apart from the other commands: the process that only supervises workers should
not load the numerical libraries first."""

from __future__ import annotations

import argparse
import os
import sys

from app.api.server import RefusedToListen, serve
from app.settings import Settings


def run_serve(options: argparse.Namespace) -> int:
    """Serve. The workers read the same environment, so that is where the options go."""
    for name in ("host", "port", "workers"):
        if getattr(options, name) is not None:
            os.environ[f"FRTSVM_{name.upper()}"] = str(getattr(options, name))
    try:
        serve(Settings())
    except RefusedToListen as error:
        print(f"frtsvm: {error}", file=sys.stderr)
        return 2
    return 0
