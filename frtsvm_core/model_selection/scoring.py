"""Scores of one candidate on one fold, from decision scores that are already there.

scikit-learn's scorers ask an estimator to predict; here the predictions exist, so a stand-in answers.
Accuracies, which most searches use, are computed directly: a scorer would take longer than the solver.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer

from frtsvm_core.model_selection.fold import Decided, Rows
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
        # A label that training has not seen has no code, and is never right.
        position = np.searchsorted(classes, self._labels).clip(max=classes.size - 1)
        self._codes = np.where(classes[position] == self._labels, position, -1)
        self._true_class = np.unique(self._labels, return_inverse=True)[1]

    def __call__(self, decided: Decided) -> float:
        scores = decided.scores
        codes = decide(scores)
        if self._scorer is None:
            right = codes == self._codes
            if self._balanced:
                return self._mean_recall(right)
            return float(np.average(right, weights=self._weight))
        stand_in = _Answered(self._classes, self._classes[codes], scores)
        extra = (
            {"sample_weight": self._weight}
            if self._weight is not None and accepts_weights(self._scorer)
            else {}
        )
        return float(self._scorer(stand_in, self._x, self._labels, **extra))

    def _mean_recall(self, right: NDArray[np.bool_]) -> float:
        """The mean over classes of the share that is right; a class without weight does not count."""
        weight = np.ones(right.size) if self._weight is None else self._weight
        total = np.bincount(self._true_class, weight)
        recalled = np.bincount(self._true_class, weight * right)
        return float(np.mean(recalled[total > 0.0] / total[total > 0.0]))


class _Answered(ClassifierMixin, BaseEstimator):
    """A fitted classifier that knows the answers for the rows it will be asked about."""

    def __init__(
        self, classes: NDArray[Any], predictions: NDArray[Any], scores: FloatArray
    ) -> None:
        self.classes_, self._predictions, self._scores = classes, predictions, scores

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: ARG002 - it knows for which rows
        return self._predictions

    def decision_function(self, X: Any) -> FloatArray:  # noqa: ARG002
        return self._scores


def resolve_scorer(scoring: str | Scorer | None) -> Scorer:
    """A callable (estimator, X, y) -> float."""
    scorer: Scorer = get_scorer("accuracy" if scoring is None else scoring)
    return scorer


def accepts_weights(scorer: Scorer) -> bool:
    """Whether a scorer of scikit-learn takes sample_weight; others are called without."""
    accept = getattr(scorer, "_accept_sample_weight", None)
    return bool(accept()) if accept is not None else False
