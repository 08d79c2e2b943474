"""Servers for the reliability tests: the service itself, or the service with a planted fault."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from tests.app.server import Server
from tests.reliability.planted import VARIABLE


class PlantedServer(Server):
    """The service with the fault that the environment selects."""

    program = (sys.executable, "-m", "tests.reliability.planted")


def make_server(home: Path, workers: int = 1, **variables: Any) -> Server:
    """Create a server; it is not started yet."""
    kind = PlantedServer if os.environ.get(VARIABLE) else Server
    return kind(home, workers, **variables)
