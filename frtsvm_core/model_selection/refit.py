"""Choose the kernel rank of the fit on all rows, given the time that is left.

The cost is extrapolated from timed fits on a sample. The cost of the kernel grows with the number
of rows and with the square of the rank. The cost of the membership "neighbors" grows with the
number of rows and with the number of reference rows among which neighbors are searched.
"""

import time
import warnings
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from frtsvm_core.estimators._base import TwinPlaneClassifier
from frtsvm_core.memberships import most_reference_rows
from frtsvm_core.model_selection.candidates import Params, configure
from frtsvm_core.model_selection.fold import Rows

# Ranks for the refit on many rows, in the order of preference.
REFIT_RANKS = (1024, 512, 400, 256, 128, 64)


def affordable_refit_rank(
    base: TwinPlaneClassifier, params: Params, sample: Rows, n_rows: int, seconds: float
) -> int:
    """Return the largest rank with which a fit of `params` on n_rows rows takes about `seconds`.

    The rank is one of `REFIT_RANKS`, and the smallest of them if even that takes longer. If the
    kernel matrix of the sample has a lower rank than `params` allows, that rank is returned.
    """
    x = sample.prepared()
    kernel, rank = _timed(base, {**params, "membership": "none"}, x, sample)
    if rank != params["rank"]:  # the kernel matrix has a lower numerical rank
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
    """Fit; return the seconds and the resulting rank."""
    trial = configure(base, params)
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        trial.fit(x, sample.labels, sample.weight)
    return time.perf_counter() - began, int(trial.rank_)
