"""Probabilities for one set of parameters."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, _fit_context, clone
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from frtsvm_core.estimators._base import TwinPlaneClassifier
from frtsvm_core.estimators._validation import check_rows_and_labels
from frtsvm_core.estimators.frtsvm import FRTSVMClassifier
from frtsvm_core.model_selection.calibration import METHODS
from frtsvm_core.model_selection.candidates import group_candidates
from frtsvm_core.model_selection.fold import Fold, Rows
from frtsvm_core.model_selection.out_of_fold import out_of_fold
from frtsvm_core.twin.parallel import one_blas_thread

FloatArray = NDArray[np.float64]


class CalibratedTwinClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A twin-plane classifier with `predict_proba`.

    Parameters
    ----------
    estimator : FRTSVMClassifier or TSVMClassifier, default=FRTSVMClassifier()
    method : {"sigmoid", "isotonic"}, default="sigmoid"
    cv : int, splitter or iterable, default=5
        Folds whose held-out scores are calibrated; `estimator` itself is fitted on all rows.
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=None
        Stands in for a random_state=None of the estimator in the folds.

    Attributes
    ----------
    estimator_ : the fitted classifier
    calibration_ : the `Calibration`, with the Brier score and reliability of held-out folds
    classes_ : the labels, sorted
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [TwinPlaneClassifier, None],
        "method": [StrOptions(set(METHODS))],
        "cv": ["cv_object"],
        "n_jobs": [int, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: TwinPlaneClassifier | None = None,
        *,
        method: str = "sigmoid",
        cv: Any = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._base().__sklearn_tags__().input_tags.pairwise
        return tags

    def _base(self) -> TwinPlaneClassifier:
        return FRTSVMClassifier() if self.estimator is None else self.estimator

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        rows, labels = check_rows_and_labels(self, X, y)
        weight = None
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, rows, dtype=np.float64)
        splitter = check_cv(self.cv, labels, classifier=True)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        with one_blas_thread():
            self.calibration_ = out_of_fold(
                group_candidates(self._base(), [{}], seed=seed),
                Rows(rows, labels, weight),
                [Fold(*fold) for fold in splitter.split(rows, labels)],
                n_jobs=self.n_jobs,
            ).calibration(self.method)
        self.estimator_ = clone(self._base()).fit(X, y, sample_weight)
        self.classes_ = self.estimator_.classes_
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of `classes_`, one column each."""
        check_is_fitted(self, "estimator_")
        return self.calibration_.probabilities(self.estimator_.decision_function(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class; near the boundary it need not be that of the nearest plane, which
        `estimator_` predicts."""
        likeliest = self.predict_proba(X).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[likeliest]
        return labels
