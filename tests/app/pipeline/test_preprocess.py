"""Imputation, encoding, scaling."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from app.pipeline.data import TrainingData
from app.pipeline.measure import scores, splits
from app.pipeline.preprocess import Preprocessor
from app.schemas.cells import read_rows
from app.schemas.table import Table
from app.schemas.training import TrainingOptions, Validation


def options(**values: Any) -> TrainingOptions:
    return TrainingOptions.model_validate(values)


@pytest.mark.parametrize(
    ("method", "scaler"), [("minmax", MinMaxScaler()), ("standard", StandardScaler())]
)
def test_scaling_is_that_of_scikit_learn(method: str, scaler: Any) -> None:
    x = np.random.default_rng(0).normal(size=(30, 3)) * [1, 1e-3, 1e6] + [0, 5, -1e6]
    fitted = Preprocessor.fit(Table(x), options(scale=method))
    np.testing.assert_allclose(
        fitted.transform(Table(x)), scaler.fit_transform(x), rtol=1e-9, atol=1e-9
    )


def test_a_constant_column_stays_finite() -> None:
    table = Table(np.array([[1.0, 7.0], [2.0, 7.0]]))
    for method in ("minmax", "standard"):
        out = Preprocessor.fit(table, options(scale=method)).transform(table)
        np.testing.assert_array_equal(out[:, 1], [0, 0])


def test_medians_and_categories_come_from_the_training_rows_only() -> None:
    train = read_rows([[1.0, "a"], [3.0, "b"], [None, "a"]])
    fitted = Preprocessor.fit(train, options(impute="median", one_hot=True, scale="none"))
    test = read_rows([[None, "c"], [100.0, "b"]])
    np.testing.assert_array_equal(fitted.transform(test), [[2, 0, 0], [100, 0, 1]])
    assert fitted.input_names(["size", "kind"]) == ["size", "kind=a", "kind=b"]


def test_state_round_trip() -> None:
    table = read_rows([[1.0, "a"], [3.0, "b"], [None, None]])
    fitted = Preprocessor.fit(table, options(impute="median", one_hot=True))
    again = Preprocessor.from_state(fitted.to_state())
    np.testing.assert_array_equal(again.transform(table), fitted.transform(table))


def test_transform_does_not_write_to_its_input() -> None:
    x = np.array([[1.0, np.nan], [3.0, 4.0]])
    x.flags.writeable = False
    Preprocessor.fit(Table(x), options(impute="median")).transform(Table(x))


def test_training_data_round_trip() -> None:
    table = read_rows([[1.0, "a"], [3.0, "b"], [None, None]])
    data = TrainingData.build(table, ["y", "x", "y"], np.array([1.0, 2.0, 3.0]))
    again = TrainingData.from_state(data.to_state())
    assert again.classes == ["x", "y"]
    assert again.codes.tolist() == [1, 0, 1]
    assert again.table.texts[1].vocabulary == ("a", "b")
    part = again.subset(np.array([2]))
    assert part.classes == ["x", "y"]
    assert part.table.n_rows == 1


def test_scores_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    true, guess = rng.integers(0, 3, 200), rng.integers(0, 3, 200)
    found = scores(true, guess, 3)
    assert found["accuracy"] == pytest.approx(accuracy_score(true, guess))
    assert found["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(true, guess))
    assert found["f1"] == pytest.approx(f1_score(true, guess, average="macro"))


def test_splits_are_stratified_and_disjoint() -> None:
    codes = np.array([0] * 20 + [1] * 10)
    seen: list[int] = []
    for train, test in splits(codes, Validation(folds=5), seed=0):
        assert not set(train) & set(test)
        assert np.bincount(codes[test]).tolist() == [4, 2]
        seen += test.tolist()
    assert sorted(seen) == list(range(30))
