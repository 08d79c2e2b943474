"""The shared searches give the same scores as separate fits, for every method."""

from itertools import product

import numpy as np
import pytest

from benchmarks.paper.corruption import CORRUPTIONS
from benchmarks.paper.datasets import load
from benchmarks.paper.methods.fitting import fit_and_score
from benchmarks.paper.methods.grids import Grid
from benchmarks.paper.methods.preparation import prepared
from benchmarks.paper.methods.registry import KERNELS, METHODS, score_tables, tune
from benchmarks.paper.methods.rows import Rows, folds_of

GRID = Grid((0.0625, 1.0, 16.0), (0.5, 2.0))


@pytest.fixture(scope="module")
def noisy_wine() -> Rows:
    (rows,) = prepared(load("wine"))
    return CORRUPTIONS["flip20"].apply(rows, seed=0)


@pytest.mark.parametrize("kernel", KERNELS)
def test_search_scores_equal_those_of_separate_fits(kernel: str, noisy_wine: Rows) -> None:
    folds = folds_of(noisy_wine, 3, seed=0)
    for key, found in score_tables(list(METHODS), kernel, noisy_wine, folds, GRID).items():
        for candidate, score in zip(product(*found.axes.values()), found.scores.flat, strict=True):
            params = dict(zip(found.axes, candidate, strict=True))
            fits = [
                fit_and_score(key, kernel, params, noisy_wine[train], noisy_wine[validation])
                for train, validation in folds
            ]
            assert np.mean([fit.accuracy for fit in fits]) == pytest.approx(100.0 * score), (
                key,
                params,
            )


def test_a_choice_can_be_built_and_predicts(noisy_wine: Rows) -> None:
    folds = folds_of(noisy_wine, 2, seed=0)
    for key, choice in tune(list(METHODS), "linear", noisy_wine, folds, GRID).items():
        fitted = fit_and_score(key, "linear", choice.params, noisy_wine, noisy_wine)
        assert fitted.accuracy > 70.0
        assert fitted.seconds > 0.0
