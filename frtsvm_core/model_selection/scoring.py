"""Score one candidate on one fold, from decision scores that are already computed.

scikit-learn's scorers call `predict` or `decision_function` of an estimator; they are given a
stand-in that returns the computed predictions. Accuracy and balanced accuracy, which most searches
use, are computed directly, because a scorer takes longer than the solver.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer

from frtsvm_core.model_selection.fold import CandidateDistances, Rows
from frtsvm_core.twin.model import decide

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

Scorer = Callable[..., float]


class FoldScorer:
    """Scores candidates on the validation rows of one fold."""

    def __init__(
        self, scoring: str | Scorer | None, rows: Rows, validation: IntArray, classes: NDArray[Any]
    ) -> None:
        self._classes = classes
        self._x, self._labels = rows.x[validation], rows.labels[validation]
        self._weight = None if rows.weight is None else rows.weight[validation]
        self._balanced = scoring == "balanced_accuracy"
        direct = scoring is None or scoring == "accuracy" or self._balanced
        self._scorer = None if direct else resolve_scorer(scoring)
        # A label that is missing in the training rows has code -1, which no prediction equals.
        position = np.searchsorted(classes, self._labels).clip(max=classes.size - 1)
        self._codes = np.where(classes[position] == self._labels, position, -1)
        self._true_class = np.unique(self._labels, return_inverse=True)[1]

    def __call__(self, candidate: CandidateDistances) -> float:
        scores = candidate.scores
        codes = decide(scores)
        if self._scorer is None:
            right = codes == self._codes
            if self._balanced:
                return self._mean_recall(right)
            return float(np.average(right, weights=self._weight))
        stand_in = _PrecomputedPredictions(self._classes, self._classes[codes], scores)
        extra = (
            {"sample_weight": self._weight}
            if self._weight is not None and accepts_weights(self._scorer)
            else {}
        )
        return float(self._scorer(stand_in, self._x, self._labels, **extra))

    def _mean_recall(self, right: NDArray[np.bool_]) -> float:
        """Return the mean recall over the classes; a class with total weight 0 is left out."""
        weight = np.ones(right.size) if self._weight is None else self._weight
        total = np.bincount(self._true_class, weight)
        recalled = np.bincount(self._true_class, weight * right)
        return float(np.mean(recalled[total > 0.0] / total[total > 0.0]))


class _PrecomputedPredictions(ClassifierMixin, BaseEstimator):
    """Stand-in for a fitted classifier, with precomputed predictions for the validation rows."""

    def __init__(
        self, classes: NDArray[Any], predictions: NDArray[Any], scores: FloatArray
    ) -> None:
        self.classes_, self._predictions, self._scores = classes, predictions, scores

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: ARG002 - always the validation rows
        return self._predictions

    def decision_function(self, X: Any) -> FloatArray:  # noqa: ARG002
        return self._scores


def resolve_scorer(scoring: str | Scorer | None) -> Scorer:
    """Return a callable (estimator, X, y) -> float; None means accuracy."""
    scorer: Scorer = get_scorer("accuracy" if scoring is None else scoring)
    return scorer


def accepts_weights(scorer: Scorer) -> bool:
    """Whether a scikit-learn scorer accepts sample_weight; other scorers are called without."""
    accept = getattr(scorer, "_accept_sample_weight", None)
    return bool(accept()) if accept is not None else False
