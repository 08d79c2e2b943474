"""Distance weights and calibrations that a search learns from out-of-fold rows."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.model_selection import StratifiedKFold

from frtsvm_core import FRTSVMClassifier
from frtsvm_core.model_selection import FRTSVMSearchCV
from frtsvm_core.model_selection.calibration_fitting import fit_calibration
from frtsvm_core.model_selection.candidates import group_candidates
from frtsvm_core.model_selection.distance_weights import (
    fit_distance_weights,
    learn_distance_weights,
)
from frtsvm_core.model_selection.fold import Fold, Rows
from frtsvm_core.model_selection.out_of_fold import OutOfFold, out_of_fold
from frtsvm_core.model_selection.reliability import brier_score
from frtsvm_core.twin.decision import class_scores

FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)
GRID = {"c1": [0.1, 10.0], "c3": [1.0]}
Data = tuple[NDArray[np.float64], NDArray[np.int64]]


@pytest.fixture(scope="module")
def uneven() -> Data:
    """Classes with different numbers of rows and spreads: the nearer plane is not the best rule."""
    x, y = make_classification(
        240, 6, n_informative=3, weights=[0.8], class_sep=0.6, flip_y=0.05, random_state=3
    )
    x[y == 1] *= 2.0
    return x, y


def out_of_fold_of(data: Data, weight: Any = None) -> OutOfFold:
    rows = Rows(*data, weight)
    groups = group_candidates(FRTSVMClassifier(random_state=0), [{}], seed=0)
    return out_of_fold(groups, rows, [Fold(*fold) for fold in FOLDS.split(*data)], n_jobs=None)


def test_distances_equal_those_of_separate_fits(uneven: Data) -> None:
    x, y = uneven
    found = out_of_fold_of(uneven)
    at = 0
    for number, (train, test) in enumerate(FOLDS.split(x, y)):
        model = FRTSVMClassifier(random_state=0).fit(x[train], y[train])
        part = slice(at, at + test.size)
        np.testing.assert_allclose(found.distances[part], model.distances(x[test]), rtol=1e-6)
        np.testing.assert_array_equal(found.codes[part], y[test])
        np.testing.assert_array_equal(found.fold[part], number)
        at += test.size
    np.testing.assert_array_equal(found.plane_classes, [(0, 1), (1, 0)])


def test_the_brier_score_is_cross_validated_including_the_distance_weights(uneven: Data) -> None:
    found, alike = out_of_fold_of(uneven), np.ones(2)
    calibration = found.calibration("sigmoid", alike)
    judged = np.empty((found.codes.size, 2))
    for number in range(3):
        out = found.fold == number
        balance = learn_distance_weights(
            found.distances[~out], found.plane_classes, found.codes[~out], np.ones((~out).sum())
        )
        scores = class_scores(found.distances, found.plane_classes, balance)
        curve = fit_calibration(scores[~out], found.codes[~out], found.fold[~out], method="sigmoid")
        judged[out] = curve.probabilities(scores[out])
    weight = np.ones(found.codes.size)
    assert calibration.brier == pytest.approx(brier_score(judged, found.codes, weight), rel=1e-6)


def test_auto_decides_by_the_learned_weights(uneven: Data) -> None:
    x, y = uneven
    search = FRTSVMSearchCV(random_state=0, time_budget=20.0, probability="sigmoid").fit(x, y)
    learned, model = search.balance_, search.best_estimator_
    assert learned is not None
    assert model.balance_ is learned.balance
    (a, b), (t,) = learned.balance.weights, learned.balance.offsets
    d = model.distances(x)
    np.testing.assert_allclose(search.decision_function(x), a * d[:, 0] - b * d[:, 1] + t)
    np.testing.assert_array_equal(search.predict(x), (search.decision_function(x) > 0).astype(int))
    # Weights and sigmoid maximize the same likelihood, so both change the class at the same scores.
    likeliest = search.predict_proba(x).argmax(axis=1)
    assert np.mean(likeliest == search.predict(x)) > 0.99


def test_the_nearer_plane_decides_on_request_with_a_grid_and_for_other_scores(uneven: Data) -> None:
    x, y = uneven
    for search in (
        FRTSVMSearchCV(balance=False, random_state=0),
        FRTSVMSearchCV(None, GRID, cv=FOLDS, random_state=0),
        FRTSVMSearchCV(scoring="roc_auc", random_state=0),
    ):
        search.fit(x, y)
        assert search.balance_ is None
        d = search.best_estimator_.distances(x)
        np.testing.assert_array_equal(search.predict(x), (d[:, 0] > d[:, 1]).astype(int))


def test_balance_with_a_grid_does_not_change_the_table(uneven: Data) -> None:
    x, y = uneven
    plain = FRTSVMSearchCV(None, GRID, cv=FOLDS, random_state=0).fit(x, y)
    balanced = FRTSVMSearchCV(None, GRID, cv=FOLDS, balance=True, random_state=0).fit(x, y)
    assert balanced.balance_ is not None
    np.testing.assert_array_equal(
        plain.cv_results_["mean_test_score"], balanced.cv_results_["mean_test_score"]
    )
    assert balanced.best_params_ == plain.best_params_
    assert clone(balanced.best_estimator_).fit(x, y).balance_ is None


def test_classes_are_weighted_as_in_the_score(uneven: Data) -> None:
    """Balanced accuracy and class weights both raise the recall of the rare class."""
    x, y = uneven
    found = {
        name: FRTSVMSearchCV(
            FRTSVMClassifier(class_weight=class_weight, random_state=0),
            {"c1": [1.0]},
            cv=FOLDS,
            scoring=scoring,
            balance=True,
        ).fit(x, y)
        for name, scoring, class_weight in (
            ("plain", "accuracy", None),
            ("score", "balanced_accuracy", None),
            ("weights", "accuracy", "balanced"),
        )
    }
    recall = {name: np.mean(search.predict(x)[y == 1]) for name, search in found.items()}
    assert recall["score"] > recall["plain"]
    assert recall["weights"] > recall["plain"]


def test_the_scale_of_the_sample_weights_has_no_effect(uneven: Data) -> None:
    found = out_of_fold_of(uneven)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, uneven[1].size)
    one, thousand = (
        replace(found, weight=weight * unit).balance(np.ones(2)) for unit in (1.0, 1000.0)
    )
    assert one is not None
    assert thousand is not None
    np.testing.assert_allclose(one.balance.weights, thousand.balance.weights, rtol=1e-6)


def test_sample_weights_count_in_the_distance_weights(uneven: Data) -> None:
    weight = np.random.default_rng(0).uniform(0.5, 2.0, uneven[1].size)
    found = out_of_fold_of(uneven, weight)
    learned = found.balance(np.ones(2))
    assert found.weight is not None
    alone = fit_distance_weights(
        found.distances,
        found.plane_classes,
        found.codes,
        found.fold,
        found.weight / found.weight.mean(),
    )
    assert learned is not None
    assert alone is not None
    assert learned.score == alone.score


def test_folds_without_a_class_give_no_distance_weights(uneven: Data) -> None:
    x, y = uneven[0][:60], np.arange(60) // 20
    folds = [(np.arange(40), np.arange(40, 60)), (np.arange(20, 60), np.arange(20))]
    assert FRTSVMSearchCV(cv=folds, random_state=0).fit(x, y).balance_ is None
    with pytest.raises(ValueError, match="no row of class"):
        FRTSVMSearchCV(None, GRID, cv=folds, balance=True).fit(x, y)
