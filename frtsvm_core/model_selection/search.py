"""Cross-validated parameter search that computes what candidates share only once."""

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

# Scores that a decision of largest likelihood serves, once the classes count as they do in the score.
_BALANCED_FOR = (None, "accuracy", "balanced_accuracy")


def _refitted(search: "FRTSVMSearchCV") -> bool:
    if not search.refit:
        raise AttributeError(
            f"This {type(search).__name__} was made with refit=False: it finds parameters, and has "
            "no model to predict with."
        )
    return True


def _calibrated(search: "FRTSVMSearchCV") -> bool:
    if search.probability is None:
        raise AttributeError(
            "predict_proba needs a calibration: make the search with probability='sigmoid' or "
            "'isotonic'."
        )
    return _refitted(search)


class FRTSVMSearchCV(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Find the parameters of an FR-TSVM by cross-validation.

    With a grid it gives the table and the choice of scikit-learn's GridSearchCV on the same folds, in
    a small part of its time: the kernel factor and the spectrum of each class are computed once per
    fold and kernel; after that every c1 is a diagonal, and every c3 a box of a path. Without one
    it goes from coarse to fine through kernels, memberships and costs (docs/search.md).

    Parameters
    ----------
    estimator : FRTSVMClassifier or TSVMClassifier, default=FRTSVMClassifier()
        Holds the parameters that are not searched.
    search : "auto", mapping or list of mappings, default="auto"
        Lists of values for parameters of the estimator, as `param_grid` of GridSearchCV; or "auto".
    cv : int, splitter or iterable, default=5
        As in GridSearchCV; the folds of an int are shuffled with "auto", and fewer where a class
        has fewer rows.
    scoring : str, callable or None, default=None
        A scorer that uses `predict` or `decision_function`; None is accuracy.
    refit : bool, default=True
        Fit the best parameters on all rows.
    preprocessing : transformer or None, default=None
        Has `fit` and `transform`; fitted inside every fold on its training rows alone, as it would be
        in a pipeline that is searched, and on all rows for the refit.
    fixed : tuple of str, default=()
        Parameters of the estimator that "auto" leaves as they are: any of kernel, gamma, c1, c3,
        penalty, membership, mu and rank. "auto" sets penalty="function" unless it or c1 is held.
    probability : "sigmoid", "isotonic" or None, default=None
        Calibrate `predict_proba` on the out-of-fold scores of the best parameters.
    balance : "auto" or bool, default="auto"
        Learn from the rows that the folds hold out how much the distance to each plane counts, instead
        of taking the class of the nearer plane. "auto": without a grid, where accuracy or balanced
        accuracy is asked for. Candidates are compared by the nearer plane in any case.
    time_budget : float, default=60.0
        Seconds that "auto" may take, refit included. A grid is always searched to its end.
    n_jobs : int or None, default=None
        Threads over folds and kernels.
    random_state : int, RandomState or None, default=None
        Draws the folds and samples of "auto", and stands in for a random_state=None of the estimator.
    error_score : "raise" or number, default=nan
        Score of a candidate that cannot be fitted on a fold.

    Attributes
    ----------
    best_estimator_, best_params_, best_score_, best_index_, cv_results_, n_splits_, refit_time_,
    scorer_, classes_ : as in GridSearchCV; the times of shared work are counted in equal parts.
        With "auto", `cv_results_` has the columns `stage` and `n_rows` besides, and the best comes
        from the last stage
    refit_params_ : what `best_estimator_` was fitted with; differs from `best_params_` where "auto"
        searched on a sample, because c1 grows with the number of rows
    preprocessing_ : the transformer before `best_estimator_`, fitted on all rows; None if there is none
    balance_ : the `LearnedBalance` by which `best_estimator_` decides; None if it is the nearer plane
    calibration_ : the `Calibration` behind `predict_proba`
    stopped_ : whether the callback or the time budget ended the search early
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
        """Search, then fit the best parameters on all rows.

        `callback` is called with a `SearchProgress`, often. If it raises `StopSearch` the best
        candidate so far is taken; anything else it raises ends the fit.
        """
        rows = self._checked(X, y, sample_weight)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        automatic = isinstance(self.search, str)
        reporter = Reporter(callback, self.time_budget if automatic else None)
        with one_blas_thread():
            find = self._find_automatically if automatic else self._find_in_grid
            outcome = find(rows, groups, reporter, seed)
            self._keep(outcome)
            self._learn_to_decide(outcome, reporter, seed)
        if self.refit:
            reporter.tell("refit")
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
            self.best_estimator_.decide_by(self.balance_.balance)
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
            raise ValueError("a precomputed kernel leaves nothing to preprocess")
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
        _report_troubles(evaluator)
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

    def _keep(self, outcome: Outcome) -> None:
        self.cv_results_ = outcome.table
        self.best_index_ = outcome.best
        self.best_params_ = outcome.table["params"][outcome.best]
        self.best_score_ = float(outcome.table["mean_test_score"][outcome.best])
        self.refit_params_ = dict(outcome.refit_params)
        self.n_splits_ = len(outcome.folds)
        self.scorer_ = resolve_scorer(self.scoring)
        self.stopped_ = outcome.stopped

    def _learn_to_decide(self, outcome: Outcome, reporter: Reporter, seed: int) -> None:
        """What the rows that the folds hold out say about decisions and probabilities."""
        self.balance_ = None
        balance = self.balance
        if isinstance(balance, str):
            balance = isinstance(self.search, str) and self.scoring in _BALANCED_FOR
        if not balance and self.probability is None:
            return
        reporter.tell("calibration")
        try:
            known = self._out_of_fold(outcome, seed)
        except IncompleteFold:
            if self.probability is not None or self.balance is True:
                raise
            return
        importance = self._importance(outcome.rows) if balance else None
        if importance is not None:
            self.balance_ = known.balance(importance)
        if self.probability is not None:
            by = None if self.balance_ is None else importance
            self.calibration_ = known.calibration(self.probability, by)

    def _out_of_fold(self, outcome: Outcome, seed: int) -> OutOfFold:
        best = group_candidates(self._base(), [self.best_params_], seed=seed)
        return out_of_fold(best, outcome.rows, outcome.folds, n_jobs=self.n_jobs)

    def _importance(self, rows: Rows) -> FloatArray:
        """How much a row of each class counts, by the estimator and by what is asked for."""
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
        """The classes that `best_estimator_` gives; near the boundary they need not be the likeliest
        by `predict_proba`."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict(self._prepared(X))

    @available_if(_refitted)
    def decision_function(self, X: Any) -> FloatArray:
        """The scores that `best_estimator_` gives."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.decision_function(self._prepared(X))

    @available_if(_calibrated)
    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of `classes_`, calibrated on out-of-fold scores."""
        check_is_fitted(self, "best_estimator_")
        return self.calibration_.probabilities(self.decision_function(X))

    @available_if(_refitted)
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The score by `scoring` of `best_estimator_`."""
        check_is_fitted(self, "best_estimator_")
        extra = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self.scorer_(self.best_estimator_, self._prepared(X), y, **extra))


def _report_troubles(evaluator: Evaluator) -> None:
    """Raise if nothing could be fitted; warn of what could not, and of what stopped early."""
    failures = evaluator.failures
    if failures and len(failures) == evaluator.n_block_folds:
        raise ValueError(f"No candidate could be fitted on any fold. {failures[0]}")
    if failures:
        warnings.warn(
            f"{len(failures)} of {evaluator.n_block_folds} fits of candidates that share a "
            f"regularization failed. The first failure: {failures[0]}",
            FitFailedWarning,
            stacklevel=4,
        )
    if evaluator.n_not_converged:
        warnings.warn(
            f"{evaluator.n_not_converged} of {evaluator.n_fits} fits stopped at max_iter sweeps.",
            ConvergenceWarning,
            stacklevel=4,
        )
