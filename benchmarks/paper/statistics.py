"""Is a difference more than chance?

Over seeds: the splits of one set share most of their training rows, so that a plain paired t-test finds
differences where there are none. The corrected test of Nadeau & Bengio (Machine Learning 52, 2003) takes
(1/n + n_test/n_train) for the 1/n of the variance. Over sets: the signed-rank test of Wilcoxon on the
mean differences, as Demsar (JMLR 7, 2006) recommends.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import stats

FloatArray = NDArray[np.float64]

LEVEL = 0.05


def corrected_t_test(differences: FloatArray, test_share: float) -> float:
    """Two-sided p of a mean difference over random splits; `test_share` is n_test / n_train, 0 for
    independent samples."""
    n = differences.size
    if n < 2:
        return 1.0
    spread = float(differences.var(ddof=1))
    if spread == 0.0:
        return 1.0 if differences[0] == 0.0 else 0.0
    t = float(differences.mean()) / np.sqrt((1.0 / n + test_share) * spread)
    return float(2.0 * stats.t.sf(abs(t), n - 1))


def signed_rank_test(differences: Sequence[float]) -> float:
    """Two-sided p of the signed-rank test; zeros count for both sides."""
    values = np.asarray(differences)
    if values.size < 5 or not values.any():
        return 1.0
    return _signed_rank(tuple(values.tolist()))


@cache  # with ties all signs are tried, which takes a second, and a report asks several times
def _signed_rank(values: tuple[float, ...]) -> float:
    return float(stats.wilcoxon(values, zero_method="zsplit").pvalue)


def significant_sign(differences: FloatArray, p: float) -> int:
    """+1 for a significant gain, -1 for a significant loss, 0 for neither."""
    return int(np.sign(differences.mean())) if p < LEVEL else 0


def ranks(accuracies: FloatArray) -> FloatArray:
    """Rank 1 for the highest of each row; equals share the mean of their ranks."""
    ranked: FloatArray = stats.rankdata(-accuracies.round(9), axis=1)
    return ranked
