"""Quality of predicted probabilities: Brier score and reliability table."""

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
    """Return the mean squared error of probabilities; smaller is better.

    Parameters
    ----------
    probabilities : ndarray of shape (n_rows, n_classes)
        Predicted probabilities, one column per class.
    codes : ndarray of shape (n_rows,)
        True class of each row, as an index of a column of `probabilities`.
    sample_weight : ndarray of shape (n_rows,) or None, default=None
        Weights of the rows.

    Returns
    -------
    score : float
        For two classes the mean over the rows of the squared error of the probability of class 1,
        as in scikit-learn's `brier_score_loss`. For more classes the mean over the rows of the sum
        of the squared errors of all classes.
    """
    if probabilities.shape[1] == 2:
        squared = (probabilities[:, 1] - (codes == 1)) ** 2
    else:
        outcomes = codes[:, None] == np.arange(probabilities.shape[1])
        squared = ((probabilities - outcomes) ** 2).sum(axis=1)
    return float(np.average(squared, weights=sample_weight))


@dataclass(frozen=True)
class ReliabilityTable:
    """Predicted probabilities against observed frequencies, in bins of equal width.

    Attributes
    ----------
    lower, upper : ndarray of shape (n_bins,)
        Limits of the bins.
    weight : ndarray of shape (n_bins,)
        Total weight of the rows in each bin.
    predicted : ndarray of shape (n_bins,)
        Mean predicted probability; NaN for an empty bin.
    observed : ndarray of shape (n_bins,)
        Share of the rows that belong to the class whose probability was predicted: class 1 of two
        classes, otherwise the most probable class. NaN for an empty bin.
    """

    lower: FloatArray
    upper: FloatArray
    weight: FloatArray
    predicted: FloatArray
    observed: FloatArray

    @property
    def calibration_error(self) -> float:
        """Expected calibration error: mean of |predicted - observed| over the rows."""
        used = self.weight > 0.0
        gaps = np.abs(self.predicted[used] - self.observed[used])
        return float(np.average(gaps, weights=self.weight[used]))

    def to_dict(self) -> dict[str, Any]:
        """Return the columns of the table by name."""
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
    """Compare predicted probabilities with observed frequencies.

    For two classes the table is about the probability of class 1, for more classes about that of
    the most probable class.

    Parameters
    ----------
    probabilities : ndarray of shape (n_rows, n_classes)
        Predicted probabilities, one column per class.
    codes : ndarray of shape (n_rows,)
        True class of each row, as an index of a column of `probabilities`.
    sample_weight : ndarray of shape (n_rows,) or None, default=None
        Weights of the rows.
    n_bins : int, default=10
        Number of bins of equal width between 0 and 1.

    Returns
    -------
    table : ReliabilityTable
        One entry per bin.
    """
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
