"""Estimates of the memory that a training job needs, before it starts.

The estimates add up the large arrays that exist at the same time, for `n` rows, `p` inputs and `m`
columns of the matrix whose rows represent the training rows in the solver: the inputs themselves
for the linear kernel, else the factor of the kernel matrix (docs/glossary.md). They are upper
bounds on purpose: a job that is refused can be sent again with fewer rows, but one that runs out
of memory has already cost time. tests/app/pipeline/test_memory.py compares them with measurements.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from app.pipeline.data import TrainingData
from app.schemas.training import EstimatorParams, TrainingOptions
from frtsvm_core.cores import available_cores
from frtsvm_core.kernels.rank import EXACT_ROWS, affordable_rank

DOUBLE = 8
#: Bytes for the interpreter, the work space of libraries, and thread stacks.
FIXED = 192 * 1024**2


#: Maximum number of rows and maximum rank in the folds of the plan "auto", and minimum rank of its
#: fit on all rows. They are copied from the search, which web processes do not load;
#: tests/app/pipeline/test_memory.py asserts that the copies are equal.
AUTO_ROWS, AUTO_RANK, AUTO_REFIT_RANK = 6000, 400, 64
#: The regularization path (frtsvm_core/solvers/path.py) holds the whole n x n matrix of a dual
#: problem if n is at most 600, or at most 2 m and at most 4000.
GRAM_ROWS, MOST_GRAM_ROWS = 600, 4000
#: Share of memory that one validation fold frees but the next cannot reuse, because its arrays have
#: other sizes. 0.16 was measured; tests/app/pipeline/test_memory.py checks that 0.25 is enough.
LEFT_BY_FOLDS = 0.25
#: Number of prepared folds that a cluster worker caches. It is copied from the search as well, and
#: tests/app/pipeline/test_memory.py asserts that the copy is equal.
KEPT = 2


def estimate_bytes(data: TrainingData, options: TrainingOptions) -> int:
    """Return the peak memory of a training job in bytes."""
    needed = _unvalidated_bytes(data, options)
    if options.validation is None:
        return needed
    # Each fold copies its rows, with their positions, codes and weights.
    copied = DOUBLE * data.table.n_rows * (data.table.n_columns + 4)
    return needed + int(LEFT_BY_FOLDS * (needed - FIXED)) + copied


def _unvalidated_bytes(data: TrainingData, options: TrainingOptions) -> int:
    if options.search is None:
        return fit_bytes(data, options.params)
    searched = _searched(options)
    worst = max(fit_bytes(data, params) for params in searched)
    return max(worst, max(search_bytes(data, options, params) for params in searched))


def fit_bytes(data: TrainingData, params: EstimatorParams) -> int:
    """Return the peak memory of one fit in bytes."""
    n = data.table.n_rows
    p = n_inputs(data)
    m = factor_width(n, p, params)
    rows = 3 * n * max(p, data.table.n_columns)  # as received, as scaled, and one temporary copy
    factor = 0 if params.kernel == "linear" else 2 * n * m
    whitened = 2 * opposing_rows(data, params) * (m + 1)
    small = (3 * len(data.classes) + 6) * m * m
    evidence = n * (len(data.classes) + 8)
    return FIXED + DOUBLE * (rows + factor + whitened + small + evidence)


def search_bytes(data: TrainingData, options: TrainingOptions, params: EstimatorParams) -> int:
    """Return the memory of the folds of a search in bytes. All are prepared at the same time."""
    assert options.search is not None
    folds = options.search.folds_for(int(data.class_counts().min()))
    raw, kept, passing = _fold_cells(data, options, params)
    return FIXED + DOUBLE * (raw + folds * kept + min(folds, available_cores()) * passing)


def folds_at_a_time(data: TrainingData, options: TrainingOptions, allowed: int) -> int:
    """Return how many search folds a cluster worker can work on at a time in `allowed` bytes.

    It is at least one. The worker also holds the table and caches the folds that it used last.
    """
    fitting = []
    for params in _searched(options):
        raw, kept, passing = _fold_cells(data, options, params)
        fitting.append((allowed // DOUBLE - raw - KEPT * kept) // (kept + passing))
    return max(1, min(fitting))


def _fold_cells(
    data: TrainingData, options: TrainingOptions, params: EstimatorParams
) -> tuple[int, int, int]:
    """Return the number of doubles in the table, in a prepared fold, and in temporary arrays."""
    assert options.search is not None
    n, p, n_classes = data.table.n_rows, n_inputs(data), len(data.classes)
    raw = 2 * n * (data.table.n_columns + p)
    if options.search.plan == "auto":
        n = min(n, AUTO_ROWS)
    m = factor_width(n, p, params)
    if options.search.plan == "auto" and params.kernel != "linear" and params.rank == "auto":
        m = n if n <= EXACT_ROWS else min(n, AUTO_RANK)
    kept = n * p + (n_classes + 2) * n * m + 3 * n_classes * m * m
    gram = min(n, max(GRAM_ROWS, 2 * m), MOST_GRAM_ROWS)
    passing = 2 * n * (m + p) + 2 * gram * gram + 4 * m * m
    return raw, kept, passing


def within_memory(
    data: TrainingData, options: TrainingOptions, allowed: int | None
) -> TrainingOptions:
    """Return the options with a kernel rank that fits into `allowed` bytes.

    A search chooses the rank by its time budget, not by the memory.
    """
    params = options.params
    while allowed is not None and params.kernel != "linear" and fit_bytes(data, params) > allowed:
        if not isinstance(params.rank, int) or params.rank <= AUTO_REFIT_RANK:
            break  # not a rank that a search chose, or already the smallest
        params = params.model_copy(update={"rank": max(AUTO_REFIT_RANK, params.rank // 2)})
    return options.model_copy(update={"params": params})


def _searched(options: TrainingOptions) -> list[EstimatorParams]:
    """Return the configurations that can need most memory."""
    assert options.search is not None
    params, grid = options.params, options.search.grid
    if grid is not None:
        ranks: list[Any] = [params.rank] if grid.rank is None else list(grid.rank)
        kernels: list[Any] = list(grid.kernel or [params.kernel])
        return [
            params.model_copy(update={"kernel": kernel, "rank": rank})
            for kernel in kernels
            for rank in ranks
        ]
    fixed = params.model_fields_set
    either = [params.kernel] if "kernel" in fixed else ["linear", "rbf"]
    return [params.model_copy(update={"kernel": kernel}) for kernel in either]


def n_inputs(data: TrainingData) -> int:
    """Return the number of columns after encoding."""
    words = sum(len(text.vocabulary) for text in data.table.texts.values())
    return data.table.n_columns - len(data.table.texts) + words


def factor_width(n: int, p: int, params: EstimatorParams) -> int:
    """Return the largest possible `m` (see above) for `n` rows and `p` inputs."""
    if params.kernel == "linear":
        return min(n, p)
    if params.rank is None:
        return n
    if params.rank == "auto":
        return n if n <= EXACT_ROWS else min(n, affordable_rank(n))
    return min(n, params.rank)


def opposing_rows(data: TrainingData, params: EstimatorParams) -> int:
    """Return the largest possible number of dual variables that are held at the same time.

    Each plane has one for each row of the other class or classes, and one plane per CPU core is
    solved at a time.
    """
    counts = np.sort(data.class_counts())[::-1]
    cores = available_cores()
    if len(counts) == 2:
        return int(counts.sum())
    if params.multi_class == "ovr":
        return int(counts.sum()) * min(cores, len(counts))
    return int(counts[0]) * min(cores, len(counts) * (len(counts) - 1))
