"""The available results of a plan."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from benchmarks.paper.cells import Cell, Result
from benchmarks.paper.plan import Plan
from benchmarks.paper.runs import Run
from benchmarks.paper.store import Entry, Store

AnyCell = TypeVar("AnyCell", bound=Cell)


@dataclass(frozen=True)
class Results:
    plan: Plan
    experiments: dict[str, list[Cell]]
    store: Store
    left_out: list[str]  # reasons why data sets are missing
    run: Run
    other_runs: dict[str, Run] = field(default_factory=dict)  # of other plans, by name
    _read: dict[str, list[tuple[Cell, Entry]]] = field(default_factory=dict)

    def of(self, experiment: str, kind: type[AnyCell]) -> Iterator[tuple[AnyCell, Result]]:
        for cell, entry in self._of(experiment):
            if isinstance(cell, kind):
                yield cell, entry.result

    def complete_seeds(self, experiment: str, kind: type[Cell], **same: object) -> list[int]:
        """Seeds for which all cells of this kind, with these field values, have a result.

        Comparing incomplete seeds would mix sets with many seeds and sets with few.
        """
        planned, found = (
            Counter(
                cell.seed  # type: ignore[attr-defined]
                for cell in cells
                if isinstance(cell, kind) and all(getattr(cell, k) == v for k, v in same.items())
            )
            for cells in (self.experiments[experiment], [cell for cell, _ in self._of(experiment)])
        )
        return [seed for seed, count in planned.items() if found[seed] == count]

    def complete(self, experiment: str) -> tuple[int, int]:
        """Number of cells with a result, and number of all cells."""
        return len(self._of(experiment)), len(self.experiments[experiment])

    def outdated(self) -> tuple[int, int]:
        """Number of results that other code or other data gave, and number of all results."""
        entries = [entry for name in self.experiments for _, entry in self._of(name)]
        return sum(not entry.current for entry in entries), len(entries)

    def cpu_seconds(self, experiment: str) -> float:
        return sum(entry.cpu_seconds for _, entry in self._of(experiment))

    def made_by(self, *experiments: str) -> str:
        """The command that produces a table or figure, and the one for its cells only."""
        text = f"Produced by `{self.plan.command}`"
        if experiments:
            text += f" (only this part: `{self.plan.module} --only {' '.join(experiments)}`)"
        return f"{text}."

    def _of(self, experiment: str) -> list[tuple[Cell, Entry]]:
        if experiment not in self._read:
            found = [(cell, self.store.latest(cell)) for cell in self.experiments[experiment]]
            self._read[experiment] = [(cell, one) for cell, one in found if one is not None]
        return self._read[experiment]
