"""The rows of the programme: what each is called, how many cases it has, and one run of it."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

#: Violations that are kept word for word; the rest is counted.
KEPT = 20
#: Where the rows are. Importing one registers its rows.
MODULES: tuple[str, ...] = (
    "contract",
    "raw_requests",
    "paths",
    "stateful",
    "loader",
    "corruption",
    "hostile_files",
    "broken_stores",
    "crash_points",
    "kills",
    "power_cuts",
    "file_systems",
    "disk_full",
    "overload",
    "memory",
    "workers",
    "long_runs",
    "slow_clients",
    "claims",
    "clocks",
    "access",
)


class NotPossible(Exception):
    """The row cannot be run here; its text says what is missing."""


@dataclass
class Run:
    """One run of one row, or of a part of it."""

    wanted: int
    """Cases that should be made."""
    seed: int
    """Differs from part to part."""
    folder: Path
    """Empty, its own."""
    new_postgres: Callable[[], str]
    """URL of an empty PostgreSQL database."""
    cases: int = 0
    n_violations: int = 0
    violations: list[str] = field(default_factory=list)
    facts: dict[str, float] = field(default_factory=dict)
    """What else was counted or measured, by name."""

    def case(self, found: Iterable[str] = (), name: str = "") -> None:
        """One case was made; this was wrong."""
        self.cases += 1
        self.wrong(*(f"{name}: {text}" if name else text for text in found))

    def wrong(self, *found: str) -> None:
        """Violations beside those of a case."""
        self.n_violations += len(found)
        self.violations += found[: KEPT - len(self.violations)]

    def add(self, fact: str, amount: float) -> None:
        """Count something."""
        self.facts[fact] = self.facts.get(fact, 0) + amount

    def most(self, fact: str, amount: float) -> None:
        """Keep the largest."""
        self.facts[fact] = max(self.facts.get(fact, amount), amount)

    def new_folder(self, name: str) -> Path:
        """An empty folder."""
        path = self.folder / f"{name}-{self.cases}-{time.monotonic_ns()}"
        path.mkdir()
        return path

    def database(self, kind: str) -> dict[str, str]:
        """Settings of a server with an empty database of that kind."""
        return {"database_url": self.new_postgres()} if kind == "postgresql" else {}


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    key: str
    title: str
    full: int
    """Cases of the full programme."""
    quick: int
    """Cases that `make test` runs."""
    part: int
    """Cases of one part of the full programme; a run can be taken up again between parts."""
    play: Callable[[Run], None]


ROWS: dict[str, Row] = {}


def row(
    key: str, title: str, *, full: int, quick: int, part: int = 0
) -> Callable[[Callable[[Run], None]], Callable[[Run], None]]:
    """Register a function as a row."""

    def register(play: Callable[[Run], None]) -> Callable[[Run], None]:
        assert key not in ROWS or ROWS[key].play.__module__ == play.__module__, key
        ROWS[key] = Row(key, title, full, quick, part or full, play)
        return play

    return register


def all_rows() -> dict[str, Row]:
    """Every row, by its key."""
    for name in MODULES:
        importlib.import_module(f"tests.reliability.{name}")
    return dict(sorted(ROWS.items()))
