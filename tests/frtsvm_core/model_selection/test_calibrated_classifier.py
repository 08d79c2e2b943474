"""CalibratedTwinClassifier, compared with scikit-learn's CalibratedClassifierCV."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_moons
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from frtsvm_core import FRTSVMClassifier
from frtsvm_core.model_selection import CalibratedTwinClassifier, FRTSVMSearchCV

FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)
Data = tuple[NDArray[np.float64], NDArray[np.int64]]


@pytest.fixture(scope="module")
def moons() -> Data:
    x, y = make_moons(150, noise=0.35, random_state=0)
    return x, y


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_two_classes_are_calibrated_as_by_scikit_learn(method: str, moons: Data) -> None:
    estimator = FRTSVMClassifier(random_state=0)
    reference = CalibratedClassifierCV(estimator, method=method, cv=FOLDS, ensemble=False)
    ours = CalibratedTwinClassifier(estimator, method=method, cv=FOLDS).fit(*moons)
    np.testing.assert_allclose(
        ours.predict_proba(moons[0]), reference.fit(*moons).predict_proba(moons[0]), atol=1e-4
    )


def test_several_classes_are_calibrated_as_by_scikit_learn() -> None:
    x, y = load_iris(return_X_y=True)
    estimator = FRTSVMClassifier("linear", multi_class="ovr")
    reference = CalibratedClassifierCV(estimator, cv=FOLDS, ensemble=False).fit(x, y)
    ours = CalibratedTwinClassifier(estimator, cv=FOLDS).fit(x, y)
    np.testing.assert_allclose(ours.predict_proba(x), reference.predict_proba(x), atol=1e-4)


def test_the_search_calibrates_its_best_parameters(moons: Data) -> None:
    x, y = moons
    estimator = FRTSVMClassifier(random_state=0)
    grid = {"c1": [0.1, 1.0], "gamma": [0.5, 2.0]}
    search = FRTSVMSearchCV(estimator, grid, cv=FOLDS, probability="isotonic").fit(x, y)
    best = FRTSVMClassifier(random_state=0, **search.best_params_)
    alone = CalibratedTwinClassifier(best, method="isotonic", cv=FOLDS).fit(x, y)
    np.testing.assert_allclose(search.predict_proba(x), alone.predict_proba(x), atol=1e-12)
    assert search.calibration_.brier == alone.calibration_.brier
    assert search.calibration_.reliability is not None
    assert search.calibration_.reliability.weight.sum() == y.size


def test_weights_count_in_the_calibration(moons: Data) -> None:
    """Larger weights for the rows of one class make it more probable."""
    x, y = moons
    up = np.where(y == 1, 20.0, 1.0)
    plain = CalibratedTwinClassifier(FRTSVMClassifier(random_state=0), cv=FOLDS).fit(x, y)
    weighted = CalibratedTwinClassifier(FRTSVMClassifier(random_state=0), cv=FOLDS)
    weighted.fit(x, y, sample_weight=up)
    assert weighted.predict_proba(x)[:, 1].mean() > plain.predict_proba(x)[:, 1].mean() + 0.2


def test_without_a_calibration_there_is_no_predict_proba(moons: Data) -> None:
    search = FRTSVMSearchCV(None, {"c1": [1.0]}, random_state=0).fit(*moons)
    assert not hasattr(search, "predict_proba")


def test_the_error_names_a_class_that_is_missing_in_a_fold(moons: Data) -> None:
    x, y = moons
    folds = [(np.flatnonzero(y >= 0)[:100], np.arange(100, 150))]
    y = y.copy()
    y[100:] = 2
    with pytest.raises(ValueError, match="no row of class 2"):
        CalibratedTwinClassifier(FRTSVMClassifier(random_state=0), cv=folds).fit(x, y)


@parametrize_with_checks([CalibratedTwinClassifier(FRTSVMClassifier("linear"), cv=2)])
def test_sklearn_checks(estimator: Any, check: Any) -> None:
    check(estimator)
