"""Compute missing cells in parallel."""

import time
from collections.abc import Sequence

from joblib import Parallel, delayed, parallel_config
from tqdm import tqdm

from benchmarks.paper.cells import Cell
from benchmarks.paper.store import Store


def run(cells: Sequence[Cell], store: Store, *, jobs: int, title: str) -> int:
    """Compute the cells without a result, in `jobs` processes with one BLAS thread each."""
    missing = [cell for cell in cells if store.get(cell) is None]
    bar = tqdm(total=len(cells), initial=len(cells) - len(missing), desc=title, unit="cell")
    with bar, parallel_config("loky", n_jobs=jobs, inner_max_num_threads=1):
        work = Parallel(return_as="generator_unordered", batch_size=1)
        for cell, result, seconds in work(delayed(_computed)(cell) for cell in missing):
            store.put(cell, result, seconds)
            bar.update()
    return len(missing)


def _computed(cell: Cell) -> tuple[Cell, dict[str, object], float]:
    began = time.process_time()
    result = cell.compute()
    return cell, result, time.process_time() - began
