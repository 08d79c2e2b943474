"""Preparation learns from training rows only, never from test or validation rows."""

import numpy as np

from benchmarks.paper.datasets import load
from benchmarks.paper.methods.fitting import fit_and_score
from benchmarks.paper.methods.grids import Grid
from benchmarks.paper.methods.preparation import prepared, raw_tables
from benchmarks.paper.methods.rows import Rows, folds_of


def test_imputation_and_scaling_are_learned_from_training_rows() -> None:
    train = Rows(np.array([[0.0, 1.0], [2.0, 3.0], [4.0, np.nan]]), np.array([1, -1, 1]))
    test = Rows(np.array([[8.0, np.nan]]), np.array([1]))
    scaled, test_rows = prepared(train, test)
    np.testing.assert_allclose(scaled.x, [[0.0, 0.0], [0.5, 1.0], [1.0, 0.5]])
    np.testing.assert_allclose(test_rows.x, [[2.0, 0.5]])


def test_a_search_prepares_each_fold_with_its_own_training_rows() -> None:
    rows = load("iris")
    folds = folds_of(rows, 2, seed=0)
    found = raw_tables(["svm", "frtsvm"], "linear", rows, folds, Grid((0.25, 4.0), (1.0,)))
    for key, params in (("svm", {"C": 4.0}), ("frtsvm", {"c1": 4.0, "c3": 4.0})):
        pairs = [prepared(rows[train], rows[validation]) for train, validation in folds]
        fits = [fit_and_score(key, "linear", params, *pair) for pair in pairs]
        expected = np.mean([fit.accuracy for fit in fits])
        np.testing.assert_allclose(100.0 * found[key].scores.flat[-1], expected)


def test_there_are_at_most_as_many_folds_as_rows_of_the_smaller_class() -> None:
    rows = Rows(np.arange(12.0)[:, None], np.array([1] * 4 + [-1] * 8))
    assert len(folds_of(rows, 10, seed=0)) == 4
