"""Storage of results: one cache file per cell, and one committed file for all of them."""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.paper.cells import Cell, Result
from benchmarks.paper.datasets import MissingDataset
from benchmarks.paper.result_file import ResultFile


@dataclass(frozen=True)
class Entry:
    result: Result
    cpu_seconds: float
    digest: str
    current: bool  # computed with the present code and data


class Store:
    """Results of cells, from the cache folder or else from the result file."""

    def __init__(self, folder: Path, result_file: ResultFile | None = None) -> None:
        self._folder = folder
        self.result_file = result_file or ResultFile(folder / "kept.json")

    def get(self, cell: Cell) -> Entry | None:
        """The result computed with the present code and data, or None."""
        try:
            digest = cell.digest()
        except MissingDataset:
            return None
        path = self._path(cell, digest)
        if path.is_file():
            found = json.loads(path.read_text())
            return Entry(found["result"], found["cpu_seconds"], digest, current=True)
        stored = self.result_file.get(cell)
        if stored is None or stored[0] != digest:
            return None
        return Entry(stored[2], stored[1], digest, current=True)

    def latest(self, cell: Cell) -> Entry | None:
        """The current result, or else the stored one of the same cell from other code or data.

        If the data set is not available, the digests cannot be compared, and the stored result
        counts as current.
        """
        stored = self.result_file.get(cell)
        try:
            cell.digest()
        except MissingDataset:
            return Entry(stored[2], stored[1], stored[0], current=True) if stored else None
        found = self.get(cell)
        if found is None and stored is not None:
            return Entry(stored[2], stored[1], stored[0], current=False)
        return found

    def put(self, cell: Cell, result: Result, cpu_seconds: float) -> None:
        path = self._path(cell, cell.digest())
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(f".{os.getpid()}")
        entry = {"result": rounded(result), "cpu_seconds": round(cpu_seconds, 3)}
        partial.write_text(json.dumps(entry))
        partial.replace(path)

    def keep(self, cells: Iterable[Cell], wanted: Sequence[Cell]) -> None:
        """Copy the current results of `cells` to the result file, and drop all but the `wanted` ones."""
        for cell in cells:
            found = self.get(cell)
            if found is not None:
                self.result_file.put(cell, found.digest, found.cpu_seconds, found.result)
        self.result_file.write(wanted)

    def _path(self, cell: Cell, digest: str) -> Path:
        return self._folder / type(cell).__name__ / f"{digest}.json"


def rounded(value: Any) -> Any:
    """Round numbers to six decimals, or six digits if below 1, to keep the file small."""
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    if isinstance(value, float):
        return float(f"{value:.6g}") if abs(value) < 1.0 else round(value, 6)
    return value
