"""Threads over planes instead of threads inside BLAS.

The products of a fit are many and thin, and run slower on two BLAS threads than on one: much slower
where other processes keep the cores busy. Planes are independent, and the compiled sweeps and BLAS
both release the interpreter lock: so BLAS is kept to one thread, and large problems solve their planes
side by side.
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

# Below this many cells a fit takes milliseconds, and starting threads would cost more than it saves.
LARGE_CELLS = 1 << 20


def is_large(n_cells: int) -> bool:
    return n_cells >= LARGE_CELLS


@cache
def _blas() -> ThreadpoolController:
    # Looking through the loaded libraries takes milliseconds; NumPy's and SciPy's BLAS are there since
    # their import.
    return ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread."""
    with _blas().limit(limits=1, user_api="blas"):
        yield


@contextmanager
def one_openmp_thread() -> Iterator[None]:
    """Hold the OpenMP loops that this thread starts to one thread."""
    with _blas().limit(limits=1, user_api="openmp"):
        yield


def side_by_side(
    function: Callable[[Item], Result], items: Sequence[Item], *, n_cells: int
) -> list[Result]:
    """[function(item) for item in items], on as many threads as there are cores if it is worth it."""
    workers = min(len(items), available_cores())
    if workers < 2 or not is_large(n_cells):
        return [function(item) for item in items]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(function, items))
