"""Cross-validated parameter search that shares computations between candidates."""

import time
import warnings
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, _fit_context, clone
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from frtsvm_core.estimators._base import TwinPlaneClassifier
from frtsvm_core.estimators._validation import check_rows_and_labels
from frtsvm_core.estimators.frtsvm import FRTSVMClassifier
from frtsvm_core.model_selection.auto import AutoSearch
from frtsvm_core.model_selection.candidates import Params, configure, group_candidates
from frtsvm_core.model_selection.evaluation import Evaluator
from frtsvm_core.model_selection.fold import Fold, Rows
from frtsvm_core.model_selection.out_of_fold import IncompleteFold, OutOfFold, out_of_fold
from frtsvm_core.model_selection.progress import Reporter, SearchCallback, StopSearch
from frtsvm_core.model_selection.results import Outcome, results_table
from frtsvm_core.model_selection.scoring import Scorer, resolve_scorer
from frtsvm_core.twin.parallel import one_blas_thread

FloatArray = NDArray[np.float64]

# Scores for which "auto" learns distance weights. The weights are fitted to the labels by maximum
# likelihood, with the classes weighted as in the score; other scores would need another criterion.
_SCORINGS_WITH_BALANCE = (None, "accuracy", "balanced_accuracy")


def _refitted(search: "FRTSVMSearchCV") -> bool:
    if not search.refit:
        raise AttributeError(
            f"This {type(search).__name__} has refit=False, so it has no fitted model to predict "
            "with. Set refit=True, or fit an estimator with refit_params_."
        )
    return True


def _calibrated(search: "FRTSVMSearchCV") -> bool:
    if search.probability is None:
        raise AttributeError(
            "predict_proba needs a calibration. Set probability='sigmoid' or "
            "probability='isotonic' before fit."
        )
    return _refitted(search)


class FRTSVMSearchCV(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    r"""Search the parameters of a twin-plane classifier by cross-validation.

    With a grid, the scores in `cv_results_` and the chosen parameters equal those of scikit-learn's
    :class:`~sklearn.model_selection.GridSearchCV` on the same folds, in a fraction of its time (34
    to 95 times faster on the WDBC data, see docs/search.md). Without a grid (``search="auto"``),
    the search goes from coarse to fine over the kernel and its width, `c1`, `c3`, `membership` and
    `mu`, within a time budget.

    The search implements `predict`, `decision_function` and `score` with the best parameters, and
    `predict_proba` if `probability` is set.

    Parameters
    ----------
    estimator : FRTSVMClassifier or TSVMClassifier, default=None
        Classifier to be tuned; it defines the parameters that are not searched. None means
        ``FRTSVMClassifier()``. ``search="auto"`` supports FRTSVMClassifier only.
    search : "auto", dict or list of dicts, default="auto"
        "auto" searches without a grid. A grid is a dictionary from parameter names to lists of
        values, or a list of such dictionaries, as `param_grid` of GridSearchCV.
    cv : int, cross-validation generator or iterable, default=5
        Folds, as in GridSearchCV. With "auto", an int means stratified folds of shuffled rows, and
        their number is reduced to the number of rows of the rarest class (but at least 2).
    scoring : str, callable or None, default=None
        Name of a scikit-learn score, or a callable ``scorer(estimator, X, y)`` that uses `predict`
        or `decision_function`. None means accuracy.
    refit : bool, default=True
        Whether to fit the best parameters on all rows. Without it, the search cannot predict.
    preprocessing : transformer or None, default=None
        Object with `fit` and `transform`. It is fitted in every fold on the training rows of the
        fold only, as a pipeline in GridSearchCV would, and on all rows for the refit. Not supported
        for precomputed kernels.
    fixed : tuple or list of str, default=()
        Parameters that "auto" leaves at their value in `estimator`: any of "kernel", "gamma", "c1",
        "c3", "penalty", "membership", "mu" and "rank". Unless "penalty" or "c1" is among them,
        "auto" sets ``penalty="function"``. `c2` and `c4` always keep their value; with None they
        follow `c1` and `c3`. Ignored with a grid.
    probability : {"sigmoid", "isotonic"} or None, default=None
        Method to calibrate `predict_proba` on the out-of-fold scores of the best parameters:
        Platt's sigmoid [2]_ [3]_, or isotonic regression, which needs more rows. None means no
        `predict_proba`.
    balance : "auto" or bool, default="auto"
        With True, the search multiplies the distances to the planes by weights that it learns from
        out-of-fold rows (see Notes). With False, the nearer plane decides. "auto" means True for
        ``search="auto"`` if `scoring` is accuracy or balanced accuracy, and False otherwise. The
        candidates themselves are always compared without weights. One-vs-rest with more than two
        classes has no weights.
    time_budget : float, default=60.0
        Seconds that "auto" may take, including calibration and refit. However short it is, a first
        block of candidates, which differ only in `c3`, `membership` and `mu`, is evaluated. A grid
        has no time limit.
    n_jobs : int or None, default=None
        Number of threads. They run the folds in parallel, and several kernels if there are more
        threads than folds. None means 1 unless in a :func:`joblib.parallel_config` context, -1
        means all CPU cores.
    random_state : int, RandomState instance or None, default=None
        Determines the folds and samples of "auto". The fits in the folds use it too if `estimator`
        has ``random_state=None``; the refit always uses the `random_state` of `estimator`. Pass an
        int here and in `estimator` for reproducible results.
    error_score : "raise" or float, default=np.nan
        Score of a candidate on a fold on which it cannot be fitted. "raise" raises the error.
        "auto" always uses NaN.

    Attributes
    ----------
    cv_results_ : dict
        Results of the candidates, with the columns of GridSearchCV as keys: (masked) arrays with
        one entry per candidate, and the list `params`. The time of work that candidates share is
        divided equally among them. With "auto" there are two more columns: `stage` (number of the
        stage, from 0) and `n_rows` (number of rows of the stage). Scores of different `n_rows` are
        not comparable.
    best_index_ : int
        Position of the best candidate in `cv_results_`. With "auto" it need not have the highest
        mean score: neighboring candidates and repeated evaluations count too.
    best_params_ : dict
        Parameters of the best candidate, as they were evaluated.
    best_score_ : float
        Mean score of the best candidate over the folds.
    refit_params_ : dict
        Parameters of `best_estimator_`. They differ from `best_params_` if "auto" searched on a
        sample (`c1` grows with the number of rows) or at a reduced kernel rank.
    best_estimator_ : estimator
        Classifier fitted on all rows; only with ``refit=True``.
    preprocessing_ : transformer or None
        The transformer before `best_estimator_`, fitted on all rows; only with ``refit=True``.
    balance_ : frtsvm_core.model_selection.distance_weights.LearnedBalance or None
        The weights by which `best_estimator_` multiplies the distances (`balance`), their
        cross-validated accuracy (`score`), and that of the nearer plane on the same rows
        (`nearest_score`). None if `best_estimator_` decides for the nearer plane.
    calibration_ : Calibration
        The map from scores to probabilities, with its cross-validated Brier score and reliability
        table; only with `probability`.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted; only with ``refit=True``.
    n_splits_ : int
        Number of folds.
    refit_time_ : float
        Seconds of the refit; only with ``refit=True``.
    scorer_ : callable
        The scorer that `scoring` selects.
    stopped_ : bool
        Whether the callback or the time budget ended the search early.
    n_features_in_ : int
        Number of features seen during `fit`; only with ``refit=True``.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, if `X` has names that are all strings; only with ``refit=True``.

    See Also
    --------
    frtsvm_core.FRTSVMClassifier : The classifier that is tuned.
    CalibratedTwinClassifier : Calibrated probabilities for given parameters.
    score_profile : Best score for each value of a parameter, for plots.
    score_surface : Best score for each pair of values of two parameters.
    sklearn.model_selection.GridSearchCV : Exhaustive search for any estimator.

    Notes
    -----
    The classifier is FR-TSVM [1]_. For one training fold, the kernel matrix is factored once per
    kernel and width. The eigenvectors of each class's scatter matrix are computed once per factor.
    After that, a value of `c1` costs a product with a diagonal matrix, and all values of `c3` are
    solved along a regularization path, each starting from the solution before. Every candidate is
    solved until its optimality conditions hold at the level of rounding errors, so the scores equal
    those of separate fits.

    If the search learns distance weights (see `balance`), the rule of the nearer plane is replaced,
    for each pair of classes (i, j), by the score

    .. math:: s(x) = a d_i(x) - b d_j(x) + t, \quad a, b \ge 0, \quad a + b = 2,

    where d is the distance to the plane of a class. The pair decides for class j if s(x) > 0
    (docs/maths.md, eq. 20b). The weights are fitted to out-of-fold distances by penalized maximum
    likelihood. They are rejected if, on folds that were not used to learn them, they make more
    errors than the nearer plane by more than two standard errors.

    `predict` decides by the scores of `decision_function`. Near the decision boundary its class
    need not be the most probable one of `predict_proba`; use :class:`CalibratedTwinClassifier` if
    they must agree.

    References
    ----------
    .. [1] Gao, B.-B. and Wang, J.-J. "A Fast and Robust TSVM for Pattern Classification",
       arXiv:1711.05406, 2017.
    .. [2] Platt, J. "Probabilistic outputs for support vector machines and comparisons to
       regularized likelihood methods", Advances in Large Margin Classifiers, 1999.
    .. [3] Lin, H.-T., Lin, C.-J. and Weng, R. C. "A note on Platt's probabilistic outputs for
       support vector machines", Machine Learning 68, 2007.

    Examples
    --------
    Search without a grid, and predict probabilities:

    >>> from sklearn.datasets import make_moons
    >>> from frtsvm_core.model_selection import FRTSVMSearchCV, StopSearch
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> X_test, y_test = make_moons(1000, noise=0.2, random_state=1)
    >>> search = FRTSVMSearchCV(probability="sigmoid", random_state=0).fit(X, y)
    >>> search.best_params_["kernel"]
    'rbf'
    >>> search.score(X_test, y_test)
    0.965
    >>> search.predict_proba(X_test[:2]).round(2)
    array([[0.04, 0.96],
           [0.01, 0.99]])

    Search a grid:

    >>> grid = {"gamma": [0.5, 2.0, 8.0], "c1": [0.1, 1.0], "c3": [0.5, 2.0]}
    >>> search = FRTSVMSearchCV(search=grid, random_state=0).fit(X, y)
    >>> search.best_params_
    {'c1': 1.0, 'c3': 0.5, 'gamma': 8.0}
    >>> search.best_score_
    0.96

    Stop early, and keep the best parameters found so far:

    >>> def stop_after_40(progress):
    ...     if progress.tried >= 40:
    ...         raise StopSearch
    >>> search = FRTSVMSearchCV(random_state=0).fit(X, y, callback=stop_after_40)
    >>> search.stopped_, len(search.cv_results_["params"])
    (True, 40)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [TwinPlaneClassifier, None],
        "search": [StrOptions({"auto"}), Mapping, list, tuple],
        "cv": ["cv_object"],
        "scoring": [str, callable, None],
        "refit": ["boolean"],
        "preprocessing": [HasMethods(["fit", "transform"]), None],
        "fixed": [tuple, list],
        "probability": [StrOptions({"sigmoid", "isotonic"}), None],
        "balance": [StrOptions({"auto"}), "boolean"],
        "time_budget": [Interval(Real, 0.0, None, closed="neither")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "error_score": [StrOptions({"raise"}), Real],
    }

    def __init__(
        self,
        estimator: TwinPlaneClassifier | None = None,
        search: Params | Sequence[Params] | str = "auto",
        *,
        cv: Any = 5,
        scoring: str | Scorer | None = None,
        refit: bool = True,
        preprocessing: Any = None,
        fixed: Sequence[str] = (),
        probability: str | None = None,
        balance: bool | str = "auto",
        time_budget: float = 60.0,
        n_jobs: int | None = None,
        random_state: Any = None,
        error_score: float | str = np.nan,
    ) -> None:
        self.estimator = estimator
        self.search = search
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.preprocessing = preprocessing
        self.fixed = fixed
        self.probability = probability
        self.balance = balance
        self.time_budget = time_budget
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.error_score = error_score

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._base().__sklearn_tags__().input_tags.pairwise
        return tags

    # --- fit ---------------------------------------------------------------------------------

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        callback: SearchCallback | None = None,
    ) -> Self:
        """Search the parameters, then fit the best ones on all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows; of shape (n_samples, n_samples) for a precomputed kernel.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, in the fits and in the scores.
        groups : array-like of shape (n_samples,), default=None
            Groups of the rows for a splitter such as GroupKFold.
        callback : callable, default=None
            Function that is called with a `SearchProgress` after every step of the search (a fold
            prepared, or a block of candidates evaluated), and at the beginning of calibration and
            refit. If it raises `StopSearch` during the search, the search ends with the best
            candidate so far. If it raises `StopSearch` before a candidate has been evaluated, or
            any other exception, `fit` raises this exception. `StopSearch` has no effect during
            calibration and refit.

        Returns
        -------
        self : FRTSVMSearchCV
            The fitted search.

        Raises
        ------
        ValueError
            If a parameter is not supported, no candidate could be fitted, or the training rows of a
            fold lack a class although calibration or ``balance=True`` needs it.
        """
        rows = self._checked(X, y, sample_weight)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        automatic = isinstance(self.search, str)
        reporter = Reporter(callback, self.time_budget if automatic else None)
        with one_blas_thread():
            find = self._find_automatically if automatic else self._find_in_grid
            outcome = find(rows, groups, reporter, seed)
            self._set_results(outcome)
            self._learn_decision_rule(outcome, reporter, seed)
        if self.refit:
            reporter.notify("refit")
            began = time.perf_counter()
            self._refit(outcome.refit_params, X, y, sample_weight)
            self.refit_time_ = time.perf_counter() - began
        return self

    def _refit(self, params: Params, x: Any, y: Any, sample_weight: Any) -> None:
        self.preprocessing_ = None
        if self.preprocessing is not None:
            self.preprocessing_ = clone(self.preprocessing).fit(x, y)
        self.best_estimator_ = configure(self._base(), params)
        self.best_estimator_.fit(self._prepared(x), y, sample_weight)
        if self.balance_ is not None:
            self.best_estimator_.set_distance_weights(self.balance_.balance)
        self.classes_ = self.best_estimator_.classes_
        first = self.best_estimator_ if self.preprocessing_ is None else self.preprocessing_
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(first, name):
                setattr(self, name, getattr(first, name))

    def _prepared(self, x: Any) -> Any:
        return x if self.preprocessing_ is None else self.preprocessing_.transform(x)

    def _base(self) -> TwinPlaneClassifier:
        return FRTSVMClassifier() if self.estimator is None else self.estimator

    def _checked(self, x: Any, y: Any, sample_weight: Any) -> Rows:
        rows, labels = check_rows_and_labels(self, x, y)
        if self.preprocessing is not None and self.__sklearn_tags__().input_tags.pairwise:
            raise ValueError(
                "preprocessing cannot be used with a precomputed kernel, because there are no "
                "features. Set preprocessing=None."
            )
        weight = None
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, rows, dtype=np.float64)
        return Rows(rows, labels, weight, self.preprocessing)

    def _find_in_grid(self, rows: Rows, groups: Any, reporter: Reporter, seed: int) -> Outcome:
        splitter = check_cv(self.cv, rows.labels, classifier=True)
        folds = [Fold(*fold) for fold in splitter.split(rows.x, rows.labels, groups)]
        evaluator = Evaluator(
            rows,
            folds,
            scoring=self.scoring,
            error_score=self.error_score,
            n_jobs=self.n_jobs,
            reporter=reporter,
        )
        candidates = group_candidates(self._base(), ParameterGrid(self.search), seed=seed)
        stopped = False
        try:
            evaluator.evaluate(candidates)
        except StopSearch:
            if not evaluator.evaluations:
                raise
            stopped = True
        _report_failures(evaluator)
        table = results_table(evaluator.in_order())
        best = int(table["rank_test_score"].argmin())
        return Outcome(table, best, table["params"][best], rows, folds, stopped)

    def _find_automatically(
        self, rows: Rows, groups: Any, reporter: Reporter, seed: int
    ) -> Outcome:
        search = AutoSearch(
            self._base(),
            cv=self.cv,
            scoring=self.scoring,
            n_jobs=self.n_jobs,
            seed=seed,
            reporter=reporter,
            fixed=self.fixed,
        )
        return search.run(rows, groups)

    def _set_results(self, outcome: Outcome) -> None:
        self.cv_results_ = outcome.table
        self.best_index_ = outcome.best
        self.best_params_ = outcome.table["params"][outcome.best]
        self.best_score_ = float(outcome.table["mean_test_score"][outcome.best])
        self.refit_params_ = dict(outcome.refit_params)
        self.n_splits_ = len(outcome.folds)
        self.scorer_ = resolve_scorer(self.scoring)
        self.stopped_ = outcome.stopped

    def _learn_decision_rule(self, outcome: Outcome, reporter: Reporter, seed: int) -> None:
        """Learn distance weights and the calibration from the out-of-fold rows."""
        self.balance_ = None
        balance = self.balance
        if isinstance(balance, str):
            balance = isinstance(self.search, str) and self.scoring in _SCORINGS_WITH_BALANCE
        if not balance and self.probability is None:
            return
        reporter.notify("calibration")
        try:
            held_out = self._out_of_fold(outcome, seed)
        except IncompleteFold:
            if self.probability is not None or self.balance is True:
                raise
            return
        importance = self._importance(outcome.rows) if balance else None
        if importance is not None:
            self.balance_ = held_out.balance(importance)
        if self.probability is not None:
            by = None if self.balance_ is None else importance
            self.calibration_ = held_out.calibration(self.probability, by)

    def _out_of_fold(self, outcome: Outcome, seed: int) -> OutOfFold:
        best = group_candidates(self._base(), [self.best_params_], seed=seed)
        return out_of_fold(best, outcome.rows, outcome.folds, n_jobs=self.n_jobs)

    def _importance(self, rows: Rows) -> FloatArray:
        """Return the weight of each class, from the estimator or from balanced accuracy."""
        classes = np.unique(rows.labels)
        of_estimator = self._base().class_weight
        weight = compute_class_weight(of_estimator, classes=classes, y=rows.labels)
        if self.scoring == "balanced_accuracy" and of_estimator is None:
            weight = compute_class_weight("balanced", classes=classes, y=rows.labels)
        importance: FloatArray = np.asarray(weight, dtype=np.float64)
        return importance

    # --- predict -----------------------------------------------------------------------------

    @available_if(_refitted)
    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row, with the best parameters.

        Near the decision boundary, this class need not be the most probable one according to
        `predict_proba`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict(self._prepared(X))

    @available_if(_refitted)
    def decision_function(self, X: Any) -> FloatArray:
        """Return the decision scores of `best_estimator_`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Scores; for two classes, positive scores mean ``classes_[1]``. Otherwise one column per
            class, largest for the predicted class.
        """
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.decision_function(self._prepared(X))

    @available_if(_calibrated)
    def predict_proba(self, X: Any) -> FloatArray:
        """Return calibrated probabilities; available only with `probability`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, one column for each of `classes_`.
        """
        check_is_fitted(self, "best_estimator_")
        return self.calibration_.probabilities(self.decision_function(X))

    @available_if(_refitted)
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the score of the predictions, as defined by `scoring`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        float
            The score of `best_estimator_` on these rows; accuracy if `scoring` is None.
        """
        check_is_fitted(self, "best_estimator_")
        extra = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self.scorer_(self.best_estimator_, self._prepared(X), y, **extra))


def _report_failures(evaluator: Evaluator) -> None:
    """Raise ValueError if every fit failed; warn about failed and unconverged fits."""
    failures = evaluator.failures
    if failures and len(failures) == evaluator.n_block_folds:
        raise ValueError(
            f"No candidate could be fitted on any fold. The first failure was: {failures[0]}"
        )
    if failures:
        warnings.warn(
            f"{len(failures)} of {evaluator.n_block_folds} fits failed. One fit covers "
            "candidates with the same kernel, c1 and c2 on one fold. The first failure was: "
            f"{failures[0]}",
            FitFailedWarning,
            stacklevel=4,
        )
    if evaluator.n_not_converged:
        warnings.warn(
            f"{evaluator.n_not_converged} of {evaluator.n_fits} fits stopped at max_iter sweeps "
            "before they converged. Increase max_iter.",
            ConvergenceWarning,
            stacklevel=4,
        )
