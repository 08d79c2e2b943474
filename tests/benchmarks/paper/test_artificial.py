"""The second artificial set: Bayes accuracy, and noise in the training rows only."""

import numpy as np

from benchmarks.paper.artificial import bands, bands_bayes_accuracy


def test_the_line_midway_between_the_bands_has_the_bayes_accuracy() -> None:
    right = []
    for seed in range(30):
        train, test = bands(seed)
        assert (train.size, test.size) == (600, 2400)
        for rows in (train, test):
            x1, x2 = rows.x.T
            between = (np.sin(x1) - 0.25 + 0.6 * np.sin(x1 / 1.05 + 0.5) - 0.8) / 2
            right.append(np.where(x2 > between, 1, -1) == rows.y)
    assert 99.8 < bands_bayes_accuracy() < 99.9
    assert abs(100.0 * np.concatenate(right).mean() - bands_bayes_accuracy()) < 0.05


def test_noise_has_the_given_variance_and_does_not_change_the_test_rows() -> None:
    clean_train, clean_test = bands(3)
    train, test = bands(3, noise_variance=0.2)
    np.testing.assert_array_equal(clean_test.x, test.x)
    np.testing.assert_array_equal(clean_train.y, train.y)
    assert abs(np.var(train.x - clean_train.x) - 0.2) < 0.02
