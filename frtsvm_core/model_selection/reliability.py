"""How good probabilities are: Brier score, and what happened where a probability was given."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

N_BINS = 10


def brier_score(
    probabilities: FloatArray, codes: IntArray, sample_weight: FloatArray | None = None
) -> float:
    """Mean squared error of the probabilities: of class 1 for two classes, else summed over classes.

    `probabilities` has one column per class, `codes` are class numbers.
    """
    if probabilities.shape[1] == 2:
        squared = (probabilities[:, 1] - (codes == 1)) ** 2
    else:
        outcomes = codes[:, None] == np.arange(probabilities.shape[1])
        squared = ((probabilities - outcomes) ** 2).sum(axis=1)
    return float(np.average(squared, weights=sample_weight))


@dataclass(frozen=True)
class ReliabilityTable:
    """Rows in bins of equal width of the probability they were given."""

    lower: FloatArray
    upper: FloatArray
    weight: FloatArray  # of the rows in the bin
    predicted: FloatArray  # their mean probability, NaN for an empty bin
    observed: FloatArray  # the share for which it came true, NaN for an empty bin

    @property
    def calibration_error(self) -> float:
        """Mean distance of predicted and observed, over rows (the expected calibration error)."""
        used = self.weight > 0.0
        gaps = np.abs(self.predicted[used] - self.observed[used])
        return float(np.average(gaps, weights=self.weight[used]))

    def to_dict(self) -> dict[str, Any]:
        return {
            "lower": self.lower,
            "upper": self.upper,
            "weight": self.weight,
            "predicted": self.predicted,
            "observed": self.observed,
        }


def reliability_table(
    probabilities: FloatArray,
    codes: IntArray,
    sample_weight: FloatArray | None = None,
    *,
    n_bins: int = N_BINS,
) -> ReliabilityTable:
    """For two classes the probability is that of class 1; for more, that of the likeliest class."""
    if probabilities.shape[1] == 2:
        given, came_true = probabilities[:, 1], codes == 1
    else:
        given = probabilities.max(axis=1)
        came_true = probabilities.argmax(axis=1) == codes
    weight = np.ones(given.size) if sample_weight is None else sample_weight
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    number = np.clip(np.searchsorted(edges, given, side="right") - 1, 0, n_bins - 1)
    total: FloatArray = np.bincount(number, weight, n_bins).astype(np.float64)

    def mean(values: NDArray[Any]) -> FloatArray:
        sums = np.bincount(number, weight * values, n_bins)
        means: FloatArray = np.full(n_bins, np.nan)
        np.divide(sums, total, out=means, where=total > 0.0)
        return means

    return ReliabilityTable(edges[:-1], edges[1:], total, mean(given), mean(came_true))
