"""Calibrated probabilities for a twin-plane classifier with given parameters."""

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
    r"""Twin-plane classifier with calibrated probabilities.

    The out-of-fold decision scores of the classifier are calibrated, and the classifier itself is
    fitted on all rows. This corresponds to scikit-learn's
    :class:`~sklearn.calibration.CalibratedClassifierCV` with ``ensemble=False``. With more than two
    classes, the score of each class is calibrated against the rest, and the probabilities are
    divided by their sum [3]_.

    Parameters
    ----------
    estimator : FRTSVMClassifier or TSVMClassifier, default=None
        Classifier with the parameters to use. None means ``FRTSVMClassifier()``.
    method : {"sigmoid", "isotonic"}, default="sigmoid"
        Platt's sigmoid [1]_ [2]_, or isotonic regression. Isotonic regression can fit any monotonic
        curve, but overfits if there are few rows.
    cv : int, cross-validation generator or iterable, default=5
        Folds for the out-of-fold scores, as in CalibratedClassifierCV. The training rows of every
        fold must contain all classes.
    n_jobs : int or None, default=None
        Number of threads, which fit the folds in parallel. None means 1 unless in a
        :func:`joblib.parallel_config` context, -1 means all CPU cores.
    random_state : int, RandomState instance or None, default=None
        Used by the fits in the folds if `estimator` has ``random_state=None``. The fit on all rows
        always uses the `random_state` of `estimator`. Pass an int here and in `estimator` for
        reproducible results.

    Attributes
    ----------
    estimator_ : estimator
        The classifier, fitted on all rows.
    calibration_ : Calibration
        The map from scores to probabilities, with its Brier score (`brier`) and reliability table
        (`reliability`). Both are cross-validated: each fold is judged by curves that were fitted to
        the other folds.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, if `X` has names that are all strings.

    See Also
    --------
    FRTSVMSearchCV : Parameter search, with calibration of the best parameters.
    brier_score : Mean squared error of probabilities.
    reliability_table : Predicted probabilities against observed frequencies.
    sklearn.calibration.CalibratedClassifierCV : Calibration of any classifier.

    Notes
    -----
    The sigmoid is

    .. math:: p(s) = 1 / (1 + \exp(-(a s + b))),

    with a and b fitted by maximum likelihood. Platt's targets (n+ + 1)/(n+ + 2) and 1/(n- + 2) take
    the place of 1 and 0, where n+ and n- are the numbers of rows of the two classes. They keep a
    and b finite when the scores separate the classes.

    `predict` returns the most probable class. Near the decision boundary it can differ from the
    class of the nearest plane, which ``estimator_.predict`` returns.

    References
    ----------
    .. [1] Platt, J. "Probabilistic outputs for support vector machines and comparisons to
       regularized likelihood methods", Advances in Large Margin Classifiers, 1999.
    .. [2] Lin, H.-T., Lin, C.-J. and Weng, R. C. "A note on Platt's probabilistic outputs for
       support vector machines", Machine Learning 68, 2007.
    .. [3] Zadrozny, B. and Elkan, C. "Transforming classifier scores into accurate multiclass
       probability estimates", KDD 2002.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from frtsvm_core import FRTSVMClassifier
    >>> from frtsvm_core.model_selection import CalibratedTwinClassifier
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> X_test, _ = make_moons(1000, noise=0.2, random_state=1)
    >>> model = CalibratedTwinClassifier(FRTSVMClassifier(gamma=2.0, random_state=0)).fit(X, y)
    >>> model.predict_proba(X_test[:2]).round(2)
    array([[0.1 , 0.9 ],
           [0.01, 0.99]])
    >>> model.predict(X_test[:2])
    array([1, 1])
    >>> round(model.calibration_.brier, 3)
    0.037
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
        """Fit the classifier on all rows, and the calibration on out-of-fold scores.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows; of shape (n_samples, n_samples) for a precomputed kernel.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, in the fits and in the calibration.

        Returns
        -------
        self : CalibratedTwinClassifier
            The fitted classifier.

        Raises
        ------
        ValueError
            If the estimator cannot be fitted to these rows, or the training rows of a fold lack a
            class.
        """
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
        """Return calibrated probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, one column for each of `classes_`.
        """
        check_is_fitted(self, "estimator_")
        return self.calibration_.probabilities(self.estimator_.decision_function(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the most probable class of each row.

        Near the decision boundary it can differ from the class of the nearest plane, which
        ``estimator_.predict`` returns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        likeliest = self.predict_proba(X).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[likeliest]
        return labels
