"""What the cells of a run have found, as far as they are there."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from benchmarks.paper.cells import Cell, Result, Store
from benchmarks.paper.plan import Plan

AnyCell = TypeVar("AnyCell", bound=Cell)


@dataclass(frozen=True)
class Results:
    plan: Plan
    experiments: dict[str, list[Cell]]
    store: Store
    left_out: list[str]  # why data sets are missing

    def of(self, experiment: str, kind: type[AnyCell]) -> Iterator[tuple[AnyCell, Result]]:
        for cell in self.experiments[experiment]:
            result = self.store.get(cell)
            if result is not None and isinstance(cell, kind):
                yield cell, result

    def complete(self, experiment: str) -> tuple[int, int]:
        """How many cells are there, of how many."""
        cells = self.experiments[experiment]
        return sum(self.store.get(cell) is not None for cell in cells), len(cells)

    def seconds(self) -> float:
        """CPU time behind all of it."""
        return sum(self.store.seconds(cells) for cells in self.experiments.values())
