"""Rows of the reliability tests: their registry, numbers of cases, and the result of a run."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

#: Violations whose text is kept; further ones are only counted.
KEPT = 20
#: Modules of the rows. Importing a module registers its rows.
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
    """The row cannot run on this machine; the message says what is missing."""


@dataclass
class Run:
    """One run of one row, or of a part of it."""

    wanted: int
    """Number of cases to run."""
    seed: int
    """Number of the part, used as random seed."""
    folder: Path
    """Empty folder of this run."""
    new_postgres: Callable[[], str]
    """Creates an empty PostgreSQL database and returns its URL."""
    cases: int = 0
    n_violations: int = 0
    violations: list[str] = field(default_factory=list)
    facts: dict[str, float] = field(default_factory=dict)
    """Other counts and measurements, by name."""

    def add_case(self, found: Iterable[str] = (), name: str = "") -> None:
        """Record one case and its violations."""
        self.cases += 1
        self.add_violations(*(f"{name}: {text}" if name else text for text in found))

    def add_violations(self, *found: str) -> None:
        """Record violations that do not belong to a case."""
        self.n_violations += len(found)
        self.violations += found[: KEPT - len(self.violations)]

    def count(self, fact: str, amount: float) -> None:
        """Add an amount to the fact with this name."""
        self.facts[fact] = self.facts.get(fact, 0) + amount

    def keep_maximum(self, fact: str, amount: float) -> None:
        """Keep the largest amount as the fact with this name."""
        self.facts[fact] = max(self.facts.get(fact, amount), amount)

    def new_folder(self, name: str) -> Path:
        """Create an empty folder."""
        path = self.folder / f"{name}-{self.cases}-{time.monotonic_ns()}"
        path.mkdir()
        return path

    def database(self, kind: str) -> dict[str, str]:
        """Settings for a server with a new, empty database of this kind."""
        return {"database_url": self.new_postgres()} if kind == "postgresql" else {}


@dataclass(frozen=True)
class Row:
    """One row of the table: a test with a number of cases."""

    key: str
    title: str
    full: int
    """Number of cases in a full run."""
    quick: int
    """Number of cases in `make test`."""
    part: int
    """Number of cases in one part of a full run; an interrupted run repeats at most one part."""
    execute: Callable[[Run], None]


ROWS: dict[str, Row] = {}


def row(
    key: str, title: str, *, full: int, quick: int, part: int = 0
) -> Callable[[Callable[[Run], None]], Callable[[Run], None]]:
    """Register a function as a row."""

    def register(execute: Callable[[Run], None]) -> Callable[[Run], None]:
        assert key not in ROWS or ROWS[key].execute.__module__ == execute.__module__, key
        ROWS[key] = Row(key, title, full, quick, part or full, execute)
        return execute

    return register


def all_rows() -> dict[str, Row]:
    """Every row, by its key."""
    for name in MODULES:
        importlib.import_module(f"tests.reliability.{name}")
    return dict(sorted(ROWS.items()))
