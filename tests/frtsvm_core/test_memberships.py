"""Memberships: formulas of the paper, weights as repeated rows, suspected noise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frtsvm_core import memberships as module
from frtsvm_core.memberships import (
    N_NEIGHBORS,
    center_memberships,
    class_mean,
    neighbor_memberships,
    no_memberships,
)
from tests.frtsvm_core.problems import seeds, two_clouds


def center(rows, codes, weight=None, *, mu=0.1, delta=1e-10, feature_space=False):
    weight = np.ones(len(rows)) if weight is None else weight
    return center_memberships(rows, codes, weight, mu=mu, delta=delta, feature_space=feature_space)


def neighbors(rows, codes, weight=None, *, mu=0.1):
    weight = np.ones(len(rows)) if weight is None else weight
    return neighbor_memberships(rows, codes, weight, mu=mu, rng=np.random.default_rng(0))


def by_the_paper(rows, codes, mu, delta):
    """Compute the membership equation of the paper (linear case) row by row."""
    centers = [rows[codes == k].mean(axis=0) for k in (0, 1)]
    radius = [max(np.linalg.norm(x - centers[k]) for x in rows[codes == k]) for k in (0, 1)]
    values, suspected = [], []
    for x, k in zip(rows, codes, strict=True):
        own, other = np.linalg.norm(x - centers[k]), np.linalg.norm(x - centers[1 - k])
        factor = mu if own >= other else 1 - mu
        values.append(factor * (1 - own / (radius[k] + delta)))
        suspected.append(own >= other)
    return np.array(values), np.array(suspected)


def test_center_is_the_formula_of_the_paper():
    rows, codes = two_clouds(0)
    expected, suspected = by_the_paper(rows, codes, 0.1, 1e-10)
    result = center(rows, codes)
    np.testing.assert_allclose(result.values, expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(result.suspected, suspected)
    assert suspected.any()
    assert not suspected.all()


def test_feature_space_form_puts_delta_under_the_root():
    rows, codes = two_clouds(0)
    delta = 0.3
    squared = center(rows, codes, delta=delta, feature_space=True)
    for k in (0, 1):
        own = np.sum((rows[codes == k] - rows[codes == k].mean(axis=0)) ** 2, axis=1)
        shape = 1 - np.sqrt(own / (own.max() + delta))
        factor = np.where(squared.suspected[codes == k], 0.1, 0.9)
        np.testing.assert_allclose(squared.values[codes == k], factor * shape, rtol=1e-12)


@given(seed=seeds, kind=st.sampled_from([center, neighbors]))
@settings(max_examples=40)
def test_weights_count_rows(seed, kind):
    """A row of weight 3 has the same effect as the row repeated three times."""
    rows, codes = two_clouds(seed, n_rows=30, n_features=2)
    weight = np.random.default_rng(seed).integers(1, 4, len(rows))
    repeated = np.repeat(np.arange(len(rows)), weight)
    as_weights = kind(rows, codes, weight.astype(float))
    as_rows = kind(rows[repeated], codes[repeated])
    np.testing.assert_allclose(as_rows.values, as_weights.values[repeated], rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(as_rows.suspected, as_weights.suspected[repeated])


@given(seed=seeds, kind=st.sampled_from([center, neighbors]))
@settings(max_examples=20)
def test_order_of_the_rows_does_not_matter(seed, kind):
    rows, codes = two_clouds(seed, n_rows=30, n_features=2)
    order = np.random.default_rng(seed).permutation(len(rows))
    plain, permuted = kind(rows, codes), kind(rows[order], codes[order])
    np.testing.assert_allclose(permuted.values, plain.values[order], rtol=1e-9, atol=1e-12)


def test_flipped_labels_are_suspected():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], 100)
    rows = rng.normal(size=(200, 2)) + 8.0 * codes[:, None]
    codes[[5, 150]] = 1, 0
    for kind in (center, neighbors):
        assert set(np.flatnonzero(kind(rows, codes).suspected)) == {5, 150}


def test_neighbors_share_of_the_nearest():
    """k + 1 rows on a line are each other's neighbors, so the expected shares are easy to count."""
    rows = np.arange(N_NEIGHBORS + 1.0)[:, None]
    codes = np.zeros(len(rows), dtype=int)
    codes[-1] = 1
    three_groups = np.vstack([rows, rows + 1000.0, rows - 1000.0])
    codes = np.concatenate([codes, np.repeat([1, 0], len(rows))])
    result = neighbors(three_groups, codes, mu=0.1)
    np.testing.assert_allclose(result.values[0], 0.9 * (N_NEIGHBORS - 1) / N_NEIGHBORS)
    assert result.values[N_NEIGHBORS] == 0.0
    assert result.suspected[N_NEIGHBORS]


def test_rows_tied_for_the_last_place_count_in_equal_parts():
    """One row at 0, and twenty rows at distance 1, of which five have the same label.

    The share is 1/4, because all twenty tied rows count in equal parts.
    """
    angle = np.linspace(0, 2 * np.pi, 20, endpoint=False)
    rows = np.vstack([[0.0, 0.0], np.stack([np.cos(angle), np.sin(angle)], axis=1)])
    codes = np.array([0] + [0] * 5 + [1] * 15)
    far = np.full((30, 2), 100.0) + np.arange(30)[:, None]
    result = neighbors(np.vstack([rows, far]), np.concatenate([codes, np.zeros(30, int)]))
    np.testing.assert_allclose(result.values[0], 0.1 * 0.25)


def test_a_single_row_of_a_class_is_not_outvoted():
    rows = np.concatenate([np.zeros((1, 2)), np.random.default_rng(0).normal(size=(20, 2))])
    codes = np.array([1] + [0] * 20)
    for kind in (center, neighbors):
        result = kind(rows, codes)
        assert result.values[0] == 0.9
        assert not result.suspected[0]


def test_equal_rows_of_a_class_have_equal_memberships():
    rows = np.vstack([np.full((7, 3), 0.1) * 1e8, np.random.default_rng(0).normal(size=(5, 3))])
    codes = np.array([0] * 7 + [1] * 5)
    np.testing.assert_array_equal(center(rows, codes).values[:7], 0.9)


def test_the_farthest_row_has_a_positive_membership_at_any_scale():
    rows, codes = two_clouds(0)
    assert (center(1e12 * rows, codes).values > 0).all()


def test_large_data_uses_a_sample(monkeypatch):
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], 500)
    rows = rng.normal(size=(1000, 2)) + 8.0 * codes[:, None]
    codes[[5, 700]] = 1, 0
    monkeypatch.setattr(module, "MAX_REFERENCE", 200)
    assert set(np.flatnonzero(neighbors(rows, codes).suspected)) == {5, 700}


def test_many_features_use_a_smaller_sample(monkeypatch):
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], 500)
    rows = rng.normal(size=(1000, 20)) + 4.0 * codes[:, None]
    codes[[5, 700]] = 1, 0
    monkeypatch.setattr(module, "MAX_REFERENCE_BEYOND_TREES", 200)
    assert module.most_reference_rows(20) == 200 < module.most_reference_rows(15)
    assert set(np.flatnonzero(neighbors(rows, codes).suspected)) == {5, 700}


def test_three_classes_compare_with_the_nearest_other_center():
    rows = np.array([[0.0], [1.0], [10.0], [11.0], [100.0], [12.0], [110.0]])
    codes = np.array([0, 0, 1, 1, 2, 2, 2])
    assert list(center(rows, codes).suspected) == [False] * 5 + [True, False]


def test_no_memberships_are_all_one():
    result = no_memberships(3)
    np.testing.assert_array_equal(result.values, 1.0)
    assert not result.suspected.any()


def test_class_mean_of_equal_rows_is_exact():
    rows = np.full((10_000, 2), [0.1, 1e8 + 0.3])
    mean = class_mean(rows, np.arange(10_000), np.full(10_000, 0.7))
    np.testing.assert_array_equal(mean, rows[0])


@pytest.mark.parametrize("n_rows", [10, 9000])
def test_class_mean_is_the_weighted_mean(n_rows):
    rng = np.random.default_rng(0)
    rows, weight = rng.normal(size=(n_rows, 3)), rng.random(n_rows)
    index = np.flatnonzero(rng.random(n_rows) < 0.5)
    expected = np.average(rows[index], axis=0, weights=weight[index])
    np.testing.assert_allclose(class_mean(rows, index, weight), expected, rtol=1e-10, atol=1e-12)
