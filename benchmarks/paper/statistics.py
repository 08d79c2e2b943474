"""Significance tests for differences between methods.

Over seeds: the splits of one set share most of their training rows, so a plain paired t-test reports
too many significant differences. The corrected test of Nadeau & Bengio (Machine Learning 52, 2003)
replaces the factor 1/n of the variance by (1/n + n_test/n_train).

Over data sets: the signed-rank test of Wilcoxon on the mean differences, as recommended by Demsar
(JMLR 7, 2006).
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import stats

FloatArray = NDArray[np.float64]

LEVEL = 0.05


def corrected_t_test(differences: FloatArray, test_share: float) -> float:
    """Two-sided p-value of a mean difference over random splits.

    `test_share` is n_test / n_train; use 0 for independent samples.
    """
    n = differences.size
    if n < 2:
        return 1.0
    spread = float(differences.var(ddof=1))
    if spread == 0.0:
        return 1.0 if differences[0] == 0.0 else 0.0
    t = float(differences.mean()) / np.sqrt((1.0 / n + test_share) * spread)
    return float(2.0 * stats.t.sf(abs(t), n - 1))


def signed_rank_test(differences: Sequence[float]) -> float:
    """Two-sided p-value of Wilcoxon's test, or 1 for fewer than 5 sets.

    The rank of a zero is split between both signs.
    """
    values = np.asarray(differences)
    if values.size < 5 or not values.any():
        return 1.0
    return _signed_rank(tuple(values.tolist()))


@cache  # ties need an enumeration of all signs, about 1 s, and the report repeats the same tests
def _signed_rank(values: tuple[float, ...]) -> float:
    return float(stats.wilcoxon(values, zero_method="zsplit").pvalue)


def significant_sign(differences: FloatArray, p: float) -> int:
    """+1 for a significant gain, -1 for a significant loss, 0 for neither."""
    return int(np.sign(differences.mean())) if p < LEVEL else 0


def ranks(accuracies: FloatArray) -> FloatArray:
    """Ranks within each row: 1 for the highest accuracy; a tie gets the mean of its ranks."""
    ranked: FloatArray = stats.rankdata(-accuracies.round(9), axis=1)
    return ranked
