"""Record of a run: machine, versions, and duration."""

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, Self

import numpy as np
import sklearn

REPORT = "report"  # name of the part that draws the figures and writes the page


@dataclass
class Run:
    """Wall seconds by experiment. Resuming an interrupted run adds to them."""

    machine: dict[str, Any] = field(default_factory=dict)
    wall: dict[str, float] = field(default_factory=dict)
    cpu: float = 0.0  # seconds of all cells

    @classmethod
    def of(cls, stored: dict[str, Any] | None) -> Self:
        return cls(**stored) if stored else cls()

    def stored(self) -> dict[str, Any]:
        wall = {name: round(seconds, 1) for name, seconds in self.wall.items()}
        return {"machine": self.machine, "wall": wall, "cpu": round(self.cpu, 1)}

    @contextmanager
    def timed(self, name: str, *, afresh: bool) -> Iterator[None]:
        """Add the wall time of the block to `name`; with `afresh`, replace the earlier time."""
        began = perf_counter()
        try:
            yield
        finally:
            before = 0.0 if afresh else self.wall.get(name, 0.0)
            self.wall[name] = before + perf_counter() - began

    @property
    def wall_seconds(self) -> float:
        return sum(self.wall.values())


def this_machine(jobs: int) -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
        "cores": len(os.sched_getaffinity(0)),
        "processes": jobs,
        "processor": _processor(),
    }


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.machine()
