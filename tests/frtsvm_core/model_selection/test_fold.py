"""Caches of a fold: what they keep between stages, and that results do not depend on them."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import make_moons

from frtsvm_core import FRTSVMClassifier
from frtsvm_core.model_selection import FRTSVMSearchCV
from frtsvm_core.model_selection import fold as fold_module
from frtsvm_core.model_selection.candidates import Group, group_candidates
from frtsvm_core.model_selection.fold import Fold, Rows

X, Y = make_moons(60, noise=0.3, random_state=0)
ROWS = Rows(X, Y, None)


def a_fold() -> Fold:
    return Fold(np.arange(12, 60), np.arange(12))


def group(**params: object) -> Group:
    (found,) = group_candidates(FRTSVMClassifier(random_state=0), [params], seed=0)
    return found


def test_a_kernel_is_prepared_only_once() -> None:
    fold = a_fold()
    first = fold.problem(ROWS, group(gamma=1.0, c1=0.5))
    assert fold.problem(ROWS, group(gamma=1.0, c1=2.0, membership="none")) is first
    assert fold.problem(ROWS, group(gamma=2.0, c1=2.0)) is not first
    assert fold.problem(ROWS, group(gamma=1.0, c1=2.0)) is first


@pytest.mark.parametrize(
    "other", [{"c1": 0.25}, {"penalty": "function"}, {"class_weight": "balanced"}, {"rank": 9}]
)
def test_other_spectra_or_features_are_prepared_again(other: dict[str, object]) -> None:
    fold = a_fold()
    first = fold.problem(ROWS, group(gamma=1.0, c1=0.5))
    assert fold.problem(ROWS, group(**{"gamma": 1.0, "c1": 0.5, **other})) is not first


def test_only_the_last_kernels_are_cached() -> None:
    fold = a_fold()
    first = fold.problem(ROWS, group(gamma=1.0))
    for gamma in (2.0, 3.0):
        fold.problem(ROWS, group(gamma=gamma))
    assert fold.problem(ROWS, group(gamma=1.0)) is not first


def test_large_folds_are_not_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    fold = a_fold()
    size = fold.problem(ROWS, group(gamma=1.0)).size
    assert size >= 48 * 48  # the factor alone
    for limit, kept in ((5 * size, True), (5 * size - 1, False)):
        monkeypatch.setattr(fold_module, "_MAX_CACHED_PROBLEM", limit)
        fold = a_fold()
        first = fold.problem(ROWS, group(gamma=1.0))
        assert (fold.problem(ROWS, group(gamma=1.0)) is first) == kept


def test_caches_are_not_pickled() -> None:
    fold = a_fold()
    alone = len(pickle.dumps(fold))
    fold.problem(ROWS, group(gamma=1.0, membership="neighbors"))
    assert len(pickle.dumps(fold)) == alone
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fold)).validation, fold.validation)


@pytest.mark.parametrize("seed", range(3))
def test_the_result_of_a_search_does_not_depend_on_the_cache(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    x, y = make_moons(120, noise=0.3, random_state=seed)
    cached = FRTSVMSearchCV(random_state=seed).fit(x, y)
    monkeypatch.setattr(fold_module, "_MAX_CACHED_PROBLEM", 0)
    uncached = FRTSVMSearchCV(random_state=seed).fit(x, y)
    np.testing.assert_array_equal(
        cached.cv_results_["mean_test_score"], uncached.cv_results_["mean_test_score"]
    )
    assert cached.best_params_ == uncached.best_params_
    np.testing.assert_allclose(
        cached.decision_function(x), uncached.decision_function(x), rtol=1e-6, atol=1e-9
    )
