"""The significance tests."""

import numpy as np
import pytest
from scipy import stats

from benchmarks.paper.statistics import corrected_t_test, ranks, signed_rank_test, significant_sign


def test_without_overlap_the_corrected_test_is_the_paired_t_test() -> None:
    differences = np.random.default_rng(0).normal(0.3, 1.0, 12)
    assert corrected_t_test(differences, 0.0) == pytest.approx(
        stats.ttest_1samp(differences, 0.0).pvalue
    )


def test_overlap_increases_the_p_value() -> None:
    differences = np.random.default_rng(0).normal(0.8, 1.0, 10)
    assert corrected_t_test(differences, 3 / 7) > corrected_t_test(differences, 0.0)


def test_equal_classifiers_are_rarely_significant() -> None:
    """Two classifiers with random predictions, on overlapping splits of the same 100 rows."""
    rng = np.random.default_rng(1)
    found = {0.0: 0, 3 / 7: 0}
    for _ in range(200):
        right = rng.random((100, 2)) < 0.7
        splits = np.array([rng.choice(100, 30, replace=False) for _ in range(10)])
        differences = (right[splits, 0].mean(axis=1) - right[splits, 1].mean(axis=1)) * 100.0
        for share in found:
            found[share] += corrected_t_test(differences, share) < 0.05
    assert found[0.0] > 60  # the plain test is wrong in over 30 % of the 200 cases
    assert found[3 / 7] < 30


def test_p_is_1_without_a_difference_and_0_for_a_constant_one() -> None:
    assert corrected_t_test(np.zeros(5), 0.4) == 1.0
    assert corrected_t_test(np.full(5, 2.0), 0.4) == 0.0
    assert signed_rank_test([0.0] * 10) == 1.0
    assert signed_rank_test([1.0, 2.0, 0.5, 1.5, 3.0, 2.5, 0.7, 0.8]) < 0.05


def test_signs_and_ranks() -> None:
    assert significant_sign(np.array([1.0, 2.0]), 0.01) == 1
    assert significant_sign(np.array([-1.0, -2.0]), 0.01) == -1
    assert significant_sign(np.array([-1.0, -2.0]), 0.2) == 0
    np.testing.assert_array_equal(ranks(np.array([[90.0, 95.0, 90.0]])), [[2.5, 1.0, 2.5]])
