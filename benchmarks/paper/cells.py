"""Cells of an experiment: computed once, kept in files, run side by side.

A cell is a frozen dataclass; the name of its file is a digest of its fields, of the constants and of the
data that its result depends on. A run that was interrupted goes on with the cells that have no file yet.
"""

import hashlib
import json
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed, parallel_config
from tqdm import tqdm

from benchmarks.paper import artificial, datasets
from benchmarks.paper.methods.rows import Rows

# Raise it when another change of the code changes results: files of other versions are not read.
RESULTS_VERSION = 1

Result = dict[str, Any]


@dataclass(frozen=True)
class Cell(ABC):
    @abstractmethod
    def compute(self) -> Result:
        """The result, as numbers, strings, lists and dictionaries."""

    @property
    def data(self) -> tuple[str, ...]:
        """The data sets it reads, whose contents belong to its identity."""
        return ()

    @property
    def settings(self) -> dict[str, Any]:
        """Constants of the code that its result depends on, where they are not fields."""
        return {}

    def digest(self) -> str:
        identity = {
            "version": RESULTS_VERSION,
            "cell": type(self).__name__,
            "fields": asdict(self),
            "settings": self.settings,
            "data": [data_digest(name) for name in self.data],
        }
        return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:24]


@cache
def data_digest(name: str) -> str:
    parts = artificial.ripley() if name == "ripley" else (datasets.load(name),)
    digest = hashlib.sha256()
    for rows in parts:
        digest.update(rows.x.tobytes())
        digest.update(rows.y.tobytes())
    return digest.hexdigest()


def pool(name: str) -> Rows:
    """All rows of a set."""
    if name != "ripley":
        return datasets.load(name)
    return artificial.pooled(*artificial.ripley())


class Store:
    """Results in one folder, one file per cell."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, cell: Cell) -> Result | None:
        path = self._path(cell)
        if not path.is_file():
            return None
        found: Result = json.loads(path.read_text())["result"]
        return found

    def put(self, cell: Cell, result: Result, seconds: float) -> None:
        path = self._path(cell)
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(f".{os.getpid()}")
        entry = {"fields": asdict(cell), "cpu_seconds": round(seconds, 3), "result": result}
        partial.write_text(json.dumps(entry))
        partial.replace(path)

    def seconds(self, cells: Sequence[Cell]) -> float:
        """The CPU time behind these cells, as far as they are there."""
        paths = [self._path(cell) for cell in cells]
        return sum(json.loads(path.read_text())["cpu_seconds"] for path in paths if path.is_file())

    def _path(self, cell: Cell) -> Path:
        return self._folder / type(cell).__name__ / f"{cell.digest()}.json"


def run(cells: Sequence[Cell], store: Store, *, jobs: int, title: str) -> None:
    """Compute the cells that the store has not got, on `jobs` processes with one BLAS thread each."""
    missing = [cell for cell in cells if store.get(cell) is None]
    bar = tqdm(total=len(cells), initial=len(cells) - len(missing), desc=title, unit="cell")
    with bar, parallel_config("loky", n_jobs=jobs, inner_max_num_threads=1):
        work = Parallel(return_as="generator_unordered", batch_size=1)
        for _ in work(delayed(_compute)(cell, store) for cell in missing):
            bar.update()


def _compute(cell: Cell, store: Store) -> None:
    began = time.process_time()
    result = cell.compute()
    store.put(cell, result, time.process_time() - began)
