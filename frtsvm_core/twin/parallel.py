"""Parallelism over planes instead of inside BLAS.

A fit consists of many products of thin matrices, which run slower on two BLAS threads than on one,
and much slower when other processes use the CPU cores (docs/decisions/0002-threads-over-planes.md).
Planes are independent, and the compiled sweeps and BLAS both release the interpreter lock. BLAS is
therefore limited to one thread, and large problems solve their planes in parallel threads.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import TypeVar

from threadpoolctl import ThreadpoolController

from frtsvm_core.cores import available_cores

Item = TypeVar("Item")
Result = TypeVar("Result")

# Fits of fewer cells (rows x columns) take milliseconds; starting threads would cost more time.
LARGE_CELLS = 1 << 20


def is_large(n_cells: int) -> bool:
    """Whether a problem of this many cells is worth several threads."""
    return n_cells >= LARGE_CELLS


@cache
def _blas() -> ThreadpoolController:
    # Cached, because the search through the loaded libraries takes milliseconds. The BLAS libraries
    # of NumPy and SciPy have been loaded by their import.
    return ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread."""
    with _blas().limit(limits=1, user_api="blas"):
        yield


@contextmanager
def one_openmp_thread() -> Iterator[None]:
    """Limit the OpenMP loops that this thread starts to one thread."""
    with _blas().limit(limits=1, user_api="openmp"):
        yield


def parallel_map(
    function: Callable[[Item], Result], items: Sequence[Item], *, n_cells: int
) -> list[Result]:
    """Return [function(item) for item in items], computed in threads if the problem is large."""
    workers = min(len(items), available_cores())
    if workers < 2 or not is_large(n_cells):
        return [function(item) for item in items]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(function, items))
