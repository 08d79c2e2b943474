"""FRTSVMSearchCV gives the same table and the same choice as GridSearchCV."""

import gc
import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning, NotFittedError
from sklearn.metrics import make_scorer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

from frtsvm_core import FRTSVMClassifier, TSVMClassifier
from frtsvm_core.model_selection import FRTSVMSearchCV, SearchProgress, StopSearch

FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)
COSTS = [2.0**k for k in (-6, -1, 3)]
Data = tuple[NDArray[np.float64], NDArray[Any]]


@pytest.fixture(scope="module")
def cancer() -> Data:
    x, y = load_breast_cancer(return_X_y=True)
    return MinMaxScaler().fit_transform(x)[::4], y[::4]


@pytest.fixture(scope="module")
def iris() -> Data:
    x, y = load_iris(return_X_y=True)
    return x, np.array(["setosa", "versicolor", "virginica"])[y]


def assert_same_search(
    estimator: Any, grid: Any, data: Data, *, sample_weight: Any = None, **options: Any
) -> FRTSVMSearchCV:
    """Assert the same scores in every cell and fold, the same ranks and the same model."""
    x, y = data
    options = {"cv": FOLDS, **options}
    fit_options = {} if sample_weight is None else {"sample_weight": sample_weight}
    with warnings.catch_warnings(), threadpool_limits(1, user_api="blas"):
        warnings.simplefilter("ignore", ConvergenceWarning)
        reference = GridSearchCV(clone(estimator), grid, **options).fit(x, y, **fit_options)
    search = FRTSVMSearchCV(estimator, grid, **options).fit(x, y, **fit_options)
    for name, expected in reference.cv_results_.items():
        found = search.cv_results_[name]
        if "_test_score" in name and name != "rank_test_score":
            np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-15, err_msg=name)
        elif not name.endswith("_time"):
            np.testing.assert_array_equal(found, expected, err_msg=name)
    assert list(search.cv_results_) == list(reference.cv_results_)
    assert search.best_params_ == reference.best_params_
    assert search.best_index_ == reference.best_index_
    np.testing.assert_array_equal(search.predict(x), reference.predict(x))
    np.testing.assert_allclose(search.decision_function(x), reference.decision_function(x))
    return search


@pytest.mark.parametrize(
    "grid",
    [
        {"kernel": ["linear"], "c1": COSTS, "c3": COSTS},
        {"gamma": [0.2, "scale"], "c1": COSTS, "c3": COSTS, "membership": ["center", "none"]},
        {"membership": ["center", "neighbors"], "mu": [0.02, 0.1, 0.4], "c3": COSTS},
        {"kernel": ["linear"], "membership": ["neighbors"], "mu": [0.0, 0.3, 1.0], "c1": COSTS},
        {"rank": [10, 30, None], "c1": COSTS},
        {"c1": [0.5, 2.0], "c2": [None, 0.25], "c3": [1.0, 4.0], "c4": [None, 0.5]},
        [{"kernel": ["linear"], "c1": COSTS}, {"kernel": ["poly"], "degree": [2], "c3": COSTS}],
        {"class_weight": [None, "balanced", {0: 3.0, 1: 1.0}], "c3": COSTS},
        {"tol": [1e-4, 1e-3], "shrinking": [True, False], "random_state": [0, 1], "rank": [20]},
    ],
)
def test_same_table_and_choice_as_grid_search(grid: Any, cancer: Data) -> None:
    assert_same_search(FRTSVMClassifier(random_state=3), grid, cancer)


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_same_for_several_classes(multi_class: str, kernel: str, iris: Data) -> None:
    estimator = FRTSVMClassifier(kernel, multi_class=multi_class, random_state=0)
    assert_same_search(
        estimator, {"c1": COSTS, "c3": COSTS, "membership": ["center", "neighbors"]}, iris
    )


@pytest.mark.parametrize("scoring", [None, "balanced_accuracy", "f1", "roc_auc"])
def test_same_with_weights_and_other_scores(scoring: str | None, cancer: Data) -> None:
    weight = np.random.default_rng(0).integers(0, 3, cancer[1].size).astype(float)
    grid = {"c1": COSTS, "gamma": [0.1, 1.0]}
    estimator = FRTSVMClassifier(random_state=0)
    assert_same_search(estimator, grid, cancer, sample_weight=weight, scoring=scoring)


def test_same_with_a_custom_scorer(cancer: Data) -> None:
    def recall_of_zero(y_true: Any, y_pred: Any) -> float:
        return float(np.mean(y_pred[y_true == 0] == 0))

    estimator = FRTSVMClassifier("linear")
    assert_same_search(estimator, {"c3": COSTS}, cancer, scoring=make_scorer(recall_of_zero))


def test_same_for_the_twin_svm(cancer: Data) -> None:
    grid = {"c1": COSTS, "ridge": [0.01, 1.0], "kernel": ["linear", "rbf"]}
    assert_same_search(TSVMClassifier(random_state=0), grid, cancer)


def test_same_for_a_precomputed_and_a_callable_kernel(cancer: Data) -> None:
    x, y = cancer
    grid = {"c1": COSTS, "c3": COSTS}
    precomputed = FRTSVMClassifier("precomputed", random_state=0)
    assert_same_search(precomputed, grid, (rbf_kernel(x, gamma=1.0), y))
    assert_same_search(FRTSVMClassifier(rbf_kernel, random_state=0), grid, cancer)


def test_the_number_of_threads_has_no_effect(cancer: Data) -> None:
    grid = {"gamma": [0.1, 1.0], "c1": COSTS, "membership": ["neighbors", "center"]}
    one, four = (
        FRTSVMSearchCV(None, grid, n_jobs=n_jobs, random_state=0).fit(*cancer).cv_results_
        for n_jobs in (1, 12)
    )
    np.testing.assert_array_equal(one["mean_test_score"], four["mean_test_score"])


def test_labels_missing_in_a_training_fold_count_as_errors(iris: Data) -> None:
    x, y = iris
    folds = [(np.arange(100), np.arange(100, 150)), (np.arange(50, 150), np.arange(50))]
    search = FRTSVMSearchCV(None, {"c1": COSTS}, cv=folds, random_state=0).fit(x, y)
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"], 0.0)


def test_groups_reach_the_splitter(cancer: Data) -> None:
    x, y = cancer
    groups = np.arange(y.size) % 4
    search = FRTSVMSearchCV(FRTSVMClassifier("linear"), {"c1": COSTS}, cv=GroupKFold(4))
    assert search.fit(x, y, groups=groups).n_splits_ == 4


# --- failures ------------------------------------------------------------------------------------


def test_a_failed_candidate_has_score_nan_and_is_never_best(cancer: Data) -> None:
    grid = [{"kernel": ["sigmoid"], "coef0": [-5.0]}, {"kernel": ["linear"]}]
    search = FRTSVMSearchCV(None, grid, random_state=0)
    with (
        pytest.warns(FitFailedWarning, match="not positive semi-definite"),
        pytest.warns(UserWarning, match="1 of 2 candidates failed"),
    ):
        search.fit(*cancer)
    assert np.isnan(search.cv_results_["mean_test_score"][0])
    assert search.best_params_ == {"kernel": "linear"}
    with pytest.raises(ValueError, match="not positive semi-definite"):
        clone(search).set_params(error_score="raise").fit(*cancer)


def test_if_every_candidate_fails_the_search_fails(cancer: Data) -> None:
    search = FRTSVMSearchCV(None, {"kernel": ["sigmoid"], "coef0": [-5.0]}, random_state=0)
    with pytest.raises(ValueError, match=r"No candidate could be fitted.*semi-definite"):
        search.fit(*cancer)


@pytest.mark.parametrize(
    ("grid", "message"),
    [({"c1": [1.0, -1.0]}, "'c1' parameter"), ({"c9": [1.0]}, "Invalid parameter 'c9'")],
)
def test_invalid_parameters_are_reported_before_the_first_fit(
    grid: Any, message: str, cancer: Data
) -> None:
    with pytest.raises(ValueError, match=message):
        FRTSVMSearchCV(None, grid).fit(*cancer)


def test_the_warning_counts_fits_that_did_not_converge(
    cancer: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("frtsvm_core.solvers.path._GRAM_ROWS", 0)
    estimator = FRTSVMClassifier("linear", max_iter=1)
    search = FRTSVMSearchCV(estimator, {"c3": [1.0, 100.0]}, refit=False)
    with pytest.warns(ConvergenceWarning, match=r"\d+ of 10 fits stopped at max_iter"):
        search.fit(*cancer)


# --- progress and stop ---------------------------------------------------------------------------


def test_progress_counts_to_the_end_and_carries_the_best(cancer: Data) -> None:
    reports: list[SearchProgress] = []
    search = FRTSVMSearchCV(None, {"c1": COSTS, "gamma": [0.1, 1.0]}, random_state=0)
    search.fit(*cancer, callback=reports.append)
    tried = [progress.tried for progress in reports]
    assert tried == sorted(tried)
    assert (tried[-1], reports[-1].total) == (6, 6)
    assert reports[-1].phase == "refit"
    assert reports[-1].best_score == search.best_score_
    assert reports[-1].best_params == search.best_params_
    assert reports[-1].seconds_left == 0.0
    seconds = [progress.seconds for progress in reports]
    assert seconds == sorted(seconds)


def test_stop_keeps_the_best_so_far(cancer: Data) -> None:
    def stop_after_three(progress: SearchProgress) -> None:
        if progress.tried >= 3:
            raise StopSearch

    full = FRTSVMSearchCV(None, {"gamma": [0.01, 0.1, 1.0], "c1": COSTS}, random_state=0)
    stopped = clone(full).fit(*cancer, callback=stop_after_three)
    full.fit(*cancer)
    assert stopped.stopped_
    assert not full.stopped_
    table = stopped.cv_results_
    assert len(table["params"]) == 3
    np.testing.assert_array_equal(
        table["mean_test_score"], full.cv_results_["mean_test_score"][::3]
    )
    assert stopped.best_score_ == table["mean_test_score"].max()
    assert stopped.predict(cancer[0]).shape == cancer[1].shape


def test_stop_before_the_first_candidate_propagates(cancer: Data) -> None:
    def stop(progress: SearchProgress) -> None:
        raise StopSearch

    with pytest.raises(StopSearch):
        FRTSVMSearchCV(None, {"c1": COSTS}).fit(*cancer, callback=stop)


# --- the scikit-learn contract -------------------------------------------------------------------


def test_a_search_as_a_step_of_a_pipeline(cancer: Data) -> None:
    x, y = cancer
    inside = make_pipeline(MinMaxScaler(), FRTSVMSearchCV(None, {"c1": COSTS}, random_state=0)).fit(
        x, y
    )
    assert inside.score(x, y) > 0.9


def test_score_uses_scoring(cancer: Data) -> None:
    x, y = cancer
    estimator = FRTSVMClassifier("linear")
    options = {"scoring": "balanced_accuracy", "cv": FOLDS}
    search = FRTSVMSearchCV(estimator, {"c3": COSTS}, **options).fit(x, y)
    reference = GridSearchCV(estimator, {"c3": COSTS}, **options).fit(x, y)
    assert search.score(x, y) == reference.score(x, y)


def test_without_refit_there_is_no_predict(cancer: Data) -> None:
    search = FRTSVMSearchCV(None, {"c1": COSTS}, refit=False, random_state=0).fit(*cancer)
    assert search.best_params_["c1"] in COSTS
    assert not hasattr(search, "predict")
    assert not hasattr(search, "best_estimator_")
    with pytest.raises(NotFittedError):
        FRTSVMSearchCV(None, {"c1": COSTS}).predict(cancer[0])


def test_moons_need_a_kernel() -> None:
    x, y = make_moons(200, noise=0.15, random_state=0)
    grid = {"kernel": ["linear", "rbf"], "c1": COSTS}
    assert FRTSVMSearchCV(None, grid, random_state=0).fit(x, y).best_params_["kernel"] == "rbf"


@parametrize_with_checks(
    [FRTSVMSearchCV(FRTSVMClassifier(random_state=0), {"c1": [0.5, 2.0]}, cv=2)],
)
def test_sklearn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_preprocessing_is_fitted_inside_the_folds() -> None:
    """The scores equal those of a pipeline in GridSearchCV, fitted on training rows only."""
    x, y = make_moons(90, noise=0.3, random_state=0)
    x = x * np.array([1.0, 1e3]) + np.array([5.0, 0.0])
    x[3] = 40.0  # an outlier determines the scale of every fold that trains on it
    grid = {"c1": [0.25, 4.0], "c3": [1.0, 8.0], "gamma": [2.0]}
    base = FRTSVMClassifier(random_state=0)
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    ours = FRTSVMSearchCV(base, grid, cv=cv, preprocessing=MinMaxScaler(), probability="sigmoid")
    ours.fit(x, y)
    pipeline = Pipeline([("scale", MinMaxScaler()), ("model", base)])
    theirs = GridSearchCV(pipeline, {f"model__{k}": v for k, v in grid.items()}, cv=cv).fit(x, y)
    np.testing.assert_allclose(
        ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], atol=1e-12
    )
    leaking = FRTSVMSearchCV(base, grid, cv=cv).fit(MinMaxScaler().fit_transform(x), y)
    assert not np.allclose(
        ours.cv_results_["mean_test_score"], leaking.cv_results_["mean_test_score"]
    )
    np.testing.assert_array_equal(ours.predict(x), theirs.predict(x))
    assert ours.score(x, y) == theirs.score(x, y)
    assert ours.n_features_in_ == 2
    assert ours.predict_proba(x).shape == (90, 2)


def test_a_precomputed_kernel_cannot_be_preprocessed() -> None:
    search = FRTSVMSearchCV(
        FRTSVMClassifier(kernel="precomputed"), {"c1": [1.0]}, preprocessing=MinMaxScaler()
    )
    with pytest.raises(ValueError, match="preprocessing cannot be used with a precomputed kernel"):
        search.fit(np.eye(4), [0, 1, 0, 1])


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_stopped_search_gives_no_warnings(n_jobs: int) -> None:
    """joblib warns about unread results, also at garbage collection; warnings are errors here."""
    x, y = make_moons(80, noise=0.3, random_state=0)

    def stop_soon(progress: SearchProgress) -> None:
        if progress.tried >= 2:
            raise StopSearch

    grid = {"c1": np.logspace(-3, 3, 30), "c3": [1.0, 2.0]}
    search = FRTSVMSearchCV(search=grid, n_jobs=n_jobs, random_state=0)
    search.fit(x, y, callback=stop_soon)
    gc.collect()
    assert search.stopped_
    assert len(search.cv_results_["params"]) < 60
