"""What folds keep from one stage of a search to the next, and that it changes nothing."""

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


def test_a_kernel_is_prepared_once() -> None:
    fold = a_fold()
    first = fold.problem(ROWS, group(gamma=1.0, c1=0.5))
    assert fold.problem(ROWS, group(gamma=1.0, c1=2.0, membership="none")) is first
    assert fold.problem(ROWS, group(gamma=2.0, c1=2.0)) is not first
    assert fold.problem(ROWS, group(gamma=1.0, c1=2.0)) is first


@pytest.mark.parametrize(
    "other", [{"c1": 0.25}, {"penalty": "function"}, {"class_weight": "balanced"}, {"rank": 9}]
)
def test_what_asks_for_other_spectra_or_features_is_prepared_anew(other: dict[str, object]) -> None:
    fold = a_fold()
    first = fold.problem(ROWS, group(gamma=1.0, c1=0.5))
    assert fold.problem(ROWS, group(**{"gamma": 1.0, "c1": 0.5, **other})) is not first


def test_only_the_last_kernels_are_kept() -> None:
    fold = a_fold()
    first = fold.problem(ROWS, group(gamma=1.0))
    for gamma in (2.0, 3.0):
        fold.problem(ROWS, group(gamma=gamma))
    assert fold.problem(ROWS, group(gamma=1.0)) is not first


def test_large_folds_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    fold = a_fold()
    size = fold.problem(ROWS, group(gamma=1.0)).size
    assert size >= 48 * 48  # of the factor alone
    for limit, kept in ((5 * size, True), (5 * size - 1, False)):
        monkeypatch.setattr(fold_module, "_MOST_PREPARED", limit)
        fold = a_fold()
        first = fold.problem(ROWS, group(gamma=1.0))
        assert (fold.problem(ROWS, group(gamma=1.0)) is first) == kept


def test_what_is_kept_is_not_sent_to_other_machines() -> None:
    fold = a_fold()
    alone = len(pickle.dumps(fold))
    fold.problem(ROWS, group(gamma=1.0, membership="neighbors"))
    assert len(pickle.dumps(fold)) == alone
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fold)).validation, fold.validation)


@pytest.mark.parametrize("seed", range(3))
def test_a_search_finds_the_same_whether_or_not_folds_keep_anything(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    x, y = make_moons(120, noise=0.3, random_state=seed)
    keeping = FRTSVMSearchCV(random_state=seed).fit(x, y)
    monkeypatch.setattr(fold_module, "_MOST_PREPARED", 0)
    forgetting = FRTSVMSearchCV(random_state=seed).fit(x, y)
    np.testing.assert_array_equal(
        keeping.cv_results_["mean_test_score"], forgetting.cv_results_["mean_test_score"]
    )
    assert keeping.best_params_ == forgetting.best_params_
    np.testing.assert_allclose(
        keeping.decision_function(x), forgetting.decision_function(x), rtol=1e-6, atol=1e-9
    )
