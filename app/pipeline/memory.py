"""How much memory a training will need, before it starts.

Counted are the large arrays that exist at the same time; `n` rows, `p` inputs, `m` columns of the
feature rows (p, or the rank of the kernel's factor). The figure is an upper bound on purpose: a
training that is refused can be sent again with fewer rows, one that dies half-way has cost time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from app.pipeline.data import TrainingData
from app.schemas.training import EstimatorParams, TrainingOptions
from frtsvm_core.cores import available_cores
from frtsvm_core.kernels.rank import EXACT_ROWS, affordable_rank

DOUBLE = 8
#: Interpreter, libraries' work space and thread stacks.
FIXED = 192 * 1024**2


#: What the plan "auto" has at most in its folds, and the smallest rank it refits with; a test compares
#: them with the search itself, which a web process does not load.
AUTO_ROWS, AUTO_RANK, AUTO_REFIT_RANK = 6000, 400, 64
#: Up to 600 rows, or twice the columns, the path of slack costs holds the matrix of a dual as a whole.
GRAM_ROWS, MOST_GRAM_ROWS = 600, 4000
#: What folds of a validation free and the next cannot use, being of other sizes: 0.16 was measured.
LEFT_BY_FOLDS = 0.25
#: Prepared folds that a worker of a cluster keeps; a test compares it with the search.
KEPT = 2


def estimate_bytes(data: TrainingData, options: TrainingOptions) -> int:
    """Bytes that the training takes at its peak: a fit, of all rows or a fold, or a search."""
    needed = _unvalidated_bytes(data, options)
    if options.validation is None:
        return needed
    # The rows of a fold are a copy, with their positions, codes and weights.
    copied = DOUBLE * data.table.n_rows * (data.table.n_columns + 4)
    return needed + int(LEFT_BY_FOLDS * (needed - FIXED)) + copied


def _unvalidated_bytes(data: TrainingData, options: TrainingOptions) -> int:
    if options.search is None:
        return fit_bytes(data, options.params)
    searched = _searched(options)
    worst = max(fit_bytes(data, params) for params in searched)
    return max(worst, max(search_bytes(data, options, params) for params in searched))


def fit_bytes(data: TrainingData, params: EstimatorParams) -> int:
    """Bytes that one fit takes at its peak."""
    n = data.table.n_rows
    p = n_inputs(data)
    m = factor_width(n, p, params)
    rows = 3 * n * max(p, data.table.n_columns)  # as sent, as scaled, and one on the way
    factor = 0 if params.kernel == "linear" else 2 * n * m
    whitened = 2 * opposing_rows(data, params) * (m + 1)
    small = (3 * len(data.classes) + 6) * m * m
    evidence = n * (len(data.classes) + 8)
    return FIXED + DOUBLE * (rows + factor + whitened + small + evidence)


def search_bytes(data: TrainingData, options: TrainingOptions, params: EstimatorParams) -> int:
    """Bytes that the folds of a search take, which are all prepared at the same time."""
    assert options.search is not None
    folds = options.search.folds_for(int(data.class_counts().min()))
    raw, kept, passing = _fold_cells(data, options, params)
    return FIXED + DOUBLE * (raw + folds * kept + min(folds, available_cores()) * passing)


def folds_at_a_time(data: TrainingData, options: TrainingOptions, allowed: int) -> int:
    """How many folds of a search a worker of a cluster can work on in so many bytes, at least one. It
    also has the table, and keeps the folds that it worked on last."""
    fitting = []
    for params in _searched(options):
        raw, kept, passing = _fold_cells(data, options, params)
        fitting.append((allowed // DOUBLE - raw - KEPT * kept) // (kept + passing))
    return max(1, min(fitting))


def _fold_cells(
    data: TrainingData, options: TrainingOptions, params: EstimatorParams
) -> tuple[int, int, int]:
    """Numbers in memory: the table, a prepared fold, and what passes while one is worked on."""
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
    """The options, with a kernel rank that fits. A search chooses it by the time it has."""
    params = options.params
    while allowed is not None and params.kernel != "linear" and fit_bytes(data, params) > allowed:
        if not isinstance(params.rank, int) or params.rank <= AUTO_REFIT_RANK:
            break  # the caller's own, or as small as it gets
        params = params.model_copy(update={"rank": max(AUTO_REFIT_RANK, params.rank // 2)})
    return options.model_copy(update={"params": params})


def _searched(options: TrainingOptions) -> list[EstimatorParams]:
    """The configurations that can need most memory: each kernel with the largest rank."""
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
    """Columns after encoding."""
    words = sum(len(text.vocabulary) for text in data.table.texts.values())
    return data.table.n_columns - len(data.table.texts) + words


def factor_width(n: int, p: int, params: EstimatorParams) -> int:
    """Columns of the feature rows at most."""
    if params.kernel == "linear":
        return min(n, p)
    if params.rank is None:
        return n
    if params.rank == "auto":
        return n if n <= EXACT_ROWS else min(n, affordable_rank(n))
    return min(n, params.rank)


def opposing_rows(data: TrainingData, params: EstimatorParams) -> int:
    """Rows in the planes that are solved side by side: as many planes as there are cores."""
    counts = np.sort(data.class_counts())[::-1]
    cores = available_cores()
    if len(counts) == 2:
        return int(counts.sum())
    if params.multi_class == "ovr":
        return int(counts.sum()) * min(cores, len(counts))
    return int(counts[0]) * min(cores, len(counts) * (len(counts) - 1))
