"""Error messages for invalid input name the problem and its place."""

import numpy as np
import pytest

from frtsvm_core import FRTSVMClassifier
from tests.frtsvm_core.problems import two_clouds

X, Y = two_clouds(0)


def changed(row, column, value):
    x = X.copy()
    x[row, column] = value
    return x


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.nan, r"Input X contains NaN: row 5, column 2\."),
        (np.inf, r"Input X contains infinity: row 5, column 2\."),
        (-np.inf, r"Input X contains infinity: row 5, column 2\."),
    ],
)
def test_nan_and_infinite_cells_are_named(value, message):
    model = FRTSVMClassifier()
    with pytest.raises(ValueError, match=message):
        model.fit(changed(5, 2, value), Y)
    model.fit(X, Y)
    with pytest.raises(ValueError, match=message):
        model.predict(changed(5, 2, value))


def test_further_bad_cells_are_counted():
    x = changed(5, 2, np.nan)
    x[9, 0] = np.nan
    with pytest.raises(ValueError, match=r"row 5, column 2 \(the first of 2 such cells\)"):
        FRTSVMClassifier().fit(x, Y)


def test_infinities_of_both_signs_do_not_hide_each_other():
    x = changed(5, 2, np.inf)
    x[9, 0] = -np.inf
    with pytest.raises(ValueError, match=r"row 5, column 2 \(the first of 2 such cells\)"):
        FRTSVMClassifier().fit(x, Y)


def test_one_class_only():
    with pytest.raises(ValueError, match="only one class is present: 'yes'"):
        FRTSVMClassifier().fit(X, ["yes"] * len(X))


def test_one_class_left_by_the_weights():
    with pytest.raises(ValueError, match="only one class is present"):
        FRTSVMClassifier().fit(X, Y, sample_weight=(Y == 1).astype(float))


def test_no_row_left_by_the_weights():
    with pytest.raises(
        ValueError, match=r"at least one non-zero number|no row has a positive weight"
    ):
        FRTSVMClassifier().fit(X, Y, sample_weight=np.zeros(len(X)))


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (-np.ones(len(X)), "Negative values"),
        (np.ones(3), "inconsistent numbers of samples|sample_weight.shape"),
        (np.full(len(X), np.nan), "sample_weight contains NaN"),
    ],
)
def test_bad_weights(weight, message):
    with pytest.raises(ValueError, match=message):
        FRTSVMClassifier().fit(X, Y, sample_weight=weight)


def test_wrong_number_of_features():
    model = FRTSVMClassifier().fit(X, Y)
    with pytest.raises(ValueError, match="X has 2 features, but FRTSVMClassifier is expecting 3"):
        model.predict(X[:, :2])


def test_rows_and_labels_of_different_length():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        FRTSVMClassifier().fit(X, Y[:-1])


def test_continuous_labels():
    with pytest.raises(ValueError, match="Unknown label type"):
        FRTSVMClassifier().fit(X, X[:, 0])


def test_precomputed_must_be_square():
    with pytest.raises(ValueError, match="must be a square matrix"):
        FRTSVMClassifier("precomputed").fit(X, Y)


@pytest.mark.parametrize(
    "params",
    [
        {"c1": 0.0},
        {"c2": -1.0},
        {"c3": "high"},
        {"c4": 0},
        {"mu": 1.5},
        {"delta": 0.0},
        {"kernel": "gaussian"},
        {"gamma": -1.0},
        {"degree": 0},
        {"rank": 0},
        {"rank": "full"},
        {"kernel_tol": 1.0},
        {"tol": 0.0},
        {"max_iter": 0},
        {"membership": "fuzzy"},
        {"multi_class": "ecoc"},
        {"class_weight": "heavy"},
    ],
)
def test_parameters_outside_their_range(params):
    with pytest.raises(ValueError, match=f"The '{next(iter(params))}' parameter"):
        FRTSVMClassifier(**params).fit(X, Y)
