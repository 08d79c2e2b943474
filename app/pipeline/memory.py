"""How much memory a training will need, before it starts.

Counted are the large arrays that exist at the same time; `n` rows, `p` inputs, `m` columns of the
feature rows (p, or the rank of the kernel's factor). The figure is an upper bound on purpose: a
training that is refused can be sent again with fewer rows, one that dies half-way has cost time.
"""

from __future__ import annotations

import os

import numpy as np

from app.pipeline.data import TrainingData
from app.schemas.training import TrainingOptions
from frtsvm_core.kernels.rank import EXACT_ROWS, affordable_rank

DOUBLE = 8
#: Interpreter, libraries' work space and thread stacks.
FIXED = 192 * 1024**2


def estimate_bytes(data: TrainingData, options: TrainingOptions) -> int:
    """Bytes that the training of one model, or of one fold, takes at its peak."""
    n = data.table.n_rows
    p = n_inputs(data)
    m = factor_width(n, p, options)
    rows = 3 * n * max(p, data.table.n_columns)  # as sent, as scaled, and one on the way
    factor = 0 if options.params.kernel == "linear" else 2 * n * m
    whitened = 2 * opposing_rows(data, options) * (m + 1)
    small = (3 * len(data.classes) + 6) * m * m
    evidence = n * (len(data.classes) + 8)
    return FIXED + DOUBLE * (rows + factor + whitened + small + evidence)


def n_inputs(data: TrainingData) -> int:
    """Columns after encoding."""
    words = sum(len(text.vocabulary) for text in data.table.texts.values())
    return data.table.n_columns - len(data.table.texts) + words


def factor_width(n: int, p: int, options: TrainingOptions) -> int:
    """Columns of the feature rows at most."""
    params = options.params
    if params.kernel == "linear":
        return min(n, p)
    if params.rank is None:
        return n
    if params.rank == "auto":
        return n if n <= EXACT_ROWS else min(n, affordable_rank(n))
    return min(n, params.rank)


def opposing_rows(data: TrainingData, options: TrainingOptions) -> int:
    """Rows in the planes that are solved side by side: as many planes as there are cores."""
    counts = np.sort(data.class_counts())[::-1]
    cores = os.cpu_count() or 1
    if len(counts) == 2:
        return int(counts.sum())
    if options.params.multi_class == "ovr":
        return int(counts.sum()) * min(cores, len(counts))
    return int(counts[0]) * min(cores, len(counts) * (len(counts) - 1))
