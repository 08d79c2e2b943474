"""Stratified samples with every class in every fold."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from frtsvm_core.model_selection.fold import Rows
from frtsvm_core.model_selection.samples import Samples, stratified_sample

LABELS = np.repeat(["a", "b", "c"], [900, 95, 5])


def test_samples_are_stratified_and_keep_all_rows_of_rare_classes() -> None:
    index = stratified_sample(LABELS, 200, np.random.default_rng(0))
    assert (np.diff(index) > 0).all()
    _, counts = np.unique(LABELS[index], return_counts=True)
    np.testing.assert_array_equal(counts, [180, 20, 5])


def samples(**options: object) -> Samples:
    given = {"groups": None, "cv": 5, "pairwise": False, "seed": 0, **options}
    rows = Rows(np.arange(1000.0)[:, None], LABELS, np.arange(1000.0))
    return Samples(rows, rng=np.random.default_rng(0), **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(("cv", "n_folds"), [(None, 5), (3, 3), (8, 5)])
def test_no_more_folds_than_the_smallest_class_has_rows(cv: int | None, n_folds: int) -> None:
    rows, folds = samples(cv=cv).draw(200)
    assert len(folds) == n_folds
    for fold in folds:
        assert set(rows.labels[fold.train]) == {"a", "b", "c"}


def test_rows_weights_and_labels_stay_together() -> None:
    rows, _ = samples().draw(200)
    np.testing.assert_array_equal(rows.x[:, 0], rows.weight)
    np.testing.assert_array_equal(rows.labels, LABELS[rows.x[:, 0].astype(int)])


def test_a_sample_of_all_rows_has_all_rows() -> None:
    rows, _ = samples().draw(1000)
    np.testing.assert_array_equal(rows.x[:, 0], np.arange(1000.0))


def test_folds_given_as_row_numbers_allow_no_sample() -> None:
    listed = samples(cv=[(np.arange(900), np.arange(900, 1000))])
    assert listed.allowed_size(200) == 1000
    assert samples().allowed_size(200) == 200


def test_fresh_folds_split_all_rows_differently() -> None:
    drawn = samples()
    _, first = drawn.draw(1000)
    fresh, other = drawn.fresh_folds(1), drawn.fresh_folds(2)
    assert len(fresh) == len(first)
    parts = np.concatenate([fold.validation for fold in fresh])
    np.testing.assert_array_equal(np.sort(parts), np.arange(1000))
    assert len({tuple(folds[0].validation) for folds in (first, fresh, other)}) == 3
    assert tuple(drawn.fresh_folds(1)[0].validation) == tuple(fresh[0].validation)


def test_there_are_no_fresh_folds_if_folds_are_not_random() -> None:
    assert samples(cv=StratifiedKFold(5)).fresh_folds(1) == []
    assert samples(cv=[(np.arange(900), np.arange(900, 1000))]).fresh_folds(1) == []
    assert samples(groups=np.arange(1000) % 7).fresh_folds(1) == []
