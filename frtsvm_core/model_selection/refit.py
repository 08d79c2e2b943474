"""How large a kernel rank the fit on all rows can have, in the time that is left for it.

Small fits on a sample are timed. The kernel's part grows with the rows and the square of the rank; that
of the membership "neighbors" with the rows and those among which neighbours are looked for.
"""

import time
import warnings
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from frtsvm_core.estimators._base import TwinPlaneClassifier
from frtsvm_core.memberships import most_reference_rows
from frtsvm_core.model_selection.candidates import Params, configure
from frtsvm_core.model_selection.fold import Rows

# Ranks that a refit on many rows may use, best first.
REFIT_RANKS = (1024, 512, 400, 256, 128, 64)


def affordable_refit_rank(
    base: TwinPlaneClassifier, params: Params, sample: Rows, n_rows: int, seconds: float
) -> int:
    """The largest rank with which a fit of `params` on n_rows rows takes about `seconds` at most; the
    rank of the sample's kernel where that is below the cap that `params` sets."""
    x = sample.prepared()
    kernel, rank = _timed(base, {**params, "membership": "none"}, x, sample)
    if rank != params["rank"]:  # the kernel decided, not the cap
        return rank
    membership = 0.0
    if params["membership"] == "neighbors":
        both, _ = _timed(base, params, x, sample)
        most = most_reference_rows(x.shape[1])
        more_reference = min(n_rows, most) / min(x.shape[0], most)
        membership = max(0.0, both - kernel) * more_reference
    growth = n_rows / x.shape[0]
    affordable = [
        one
        for one in REFIT_RANKS
        if growth * (kernel * max(one / rank, (one / rank) ** 2) + membership) <= seconds
    ]
    return affordable[0] if affordable else REFIT_RANKS[-1]


def _timed(base: TwinPlaneClassifier, params: Params, x: Any, sample: Rows) -> tuple[float, int]:
    """Seconds of a fit, and the rank that it came to."""
    trial = configure(base, params)
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        trial.fit(x, sample.labels, sample.weight)
    return time.perf_counter() - began, int(trial.rank_)
