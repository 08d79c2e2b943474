"""What the cells of a run have found, as far as they are there."""

from collections.abc import Iterator
from dataclasses import dataclass, field
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
    _read: dict[str, list[tuple[Cell, Result]]] = field(default_factory=dict)

    def of(self, experiment: str, kind: type[AnyCell]) -> Iterator[tuple[AnyCell, Result]]:
        for cell, result in self._of(experiment):
            if isinstance(cell, kind):
                yield cell, result

    def complete(self, experiment: str) -> tuple[int, int]:
        """How many cells are there, of how many."""
        return len(self._of(experiment)), len(self.experiments[experiment])

    def _of(self, experiment: str) -> list[tuple[Cell, Result]]:
        if experiment not in self._read:
            found = [(cell, self.store.get(cell)) for cell in self.experiments[experiment]]
            self._read[experiment] = [(cell, one) for cell, one in found if one is not None]
        return self._read[experiment]

    def seconds(self) -> float:
        """CPU time behind all of it."""
        return sum(self.store.seconds(cells) for cells in self.experiments.values())
