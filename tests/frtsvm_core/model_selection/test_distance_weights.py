"""Distance weights learned from out-of-fold distances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import expit

from frtsvm_core.model_selection.distance_weights import (
    fit_distance_weights,
    learn_distance_weights,
)
from frtsvm_core.twin.decision import DistanceWeights, class_scores
from frtsvm_core.twin.model import decide

TWO = np.array([(0, 1), (1, 0)])
THREE = np.array([(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)])
REST = np.array([(0, -1), (1, -1), (2, -1)])
FloatArray = NDArray[np.float64]


def drawn(
    seed: int, n_rows: int, truth: tuple[float, float, float]
) -> tuple[FloatArray, NDArray[np.intp]]:
    """Random distances, and classes drawn with the probabilities of the true parameters."""
    rng = np.random.default_rng(seed)
    distances = rng.exponential(size=(n_rows, 2))
    a, b, t = truth
    p = expit(a * distances[:, 0] - b * distances[:, 1] + t)
    return distances, (rng.uniform(size=n_rows) < p).astype(np.intp)


def test_it_recovers_the_true_parameters() -> None:
    """The weights are scaled to the sum 2."""
    distances, codes = drawn(0, 200_000, (4.5, 1.5, -0.6))
    balance = learn_distance_weights(distances, TWO, codes, np.ones(codes.size))
    assert balance is not None
    np.testing.assert_allclose(balance.weights, [1.5, 0.5], atol=0.03)
    np.testing.assert_allclose(balance.offsets, [-0.2], atol=0.02)


def test_few_rows_stay_close_to_equal_weights() -> None:
    """30 rows cannot set a weight to 0, 30,000 rows can."""
    few, many = (
        learn_distance_weights(*_with_codes(drawn(1, n, (3.0, 0.0, 0.0)))) for n in (30, 30_000)
    )
    assert few is not None
    assert many is not None
    assert 0.3 < few.weights[1] < 1.0
    assert many.weights[1] < 0.1


def _with_codes(
    rows: tuple[FloatArray, NDArray[np.intp]],
) -> tuple[FloatArray, NDArray[np.intp], NDArray[np.intp], FloatArray]:
    distances, codes = rows
    return distances, TWO, codes, np.ones(codes.size)


@given(
    st.integers(0, 1000),
    st.integers(4, 60),
    st.tuples(*[st.floats(-4.0, 4.0)] * 3),
)
def test_weights_are_never_negative(
    seed: int, n_rows: int, truth: tuple[float, float, float]
) -> None:
    """Also if the most likely weights without this constraint are negative."""
    distances, codes = drawn(seed, n_rows, truth)
    balance = learn_distance_weights(distances, TWO, codes, np.ones(n_rows))
    assert balance is not None
    assert (balance.weights >= 0.0).all()
    assert balance.weights.sum() == pytest.approx(2.0)
    assert np.isfinite(balance.offsets).all()


@given(st.floats(1e-100, 1e100))
def test_the_unit_of_the_distances_makes_no_difference(unit: float) -> None:
    distances, codes = drawn(2, 80, (3.0, 1.0, 0.5))
    balance = learn_distance_weights(distances, TWO, codes, np.ones(80))
    scaled = learn_distance_weights(distances * unit, TWO, codes, np.ones(80))
    assert balance is not None
    assert scaled is not None
    np.testing.assert_allclose(scaled.weights, balance.weights, rtol=1e-6)
    np.testing.assert_allclose(scaled.offsets, balance.offsets * unit, rtol=1e-6)


def test_almost_infinite_distances_give_finite_scores() -> None:
    distances, codes = drawn(3, 60, (3.0, 1.0, 0.5))
    distances[:5, 0] = 1e153
    balance = learn_distance_weights(distances, TWO, codes, np.ones(60))
    assert balance is not None
    assert np.isfinite(class_scores(distances, TWO, balance)).all()


def test_weighting_a_row_equals_repeating_it() -> None:
    distances, codes = drawn(4, 60, (3.0, 1.0, 0.5))
    times = np.random.default_rng(0).integers(1, 4, 60)
    weighted = learn_distance_weights(distances, TWO, codes, times.astype(float))
    repeated = learn_distance_weights(
        np.repeat(distances, times, axis=0), TWO, np.repeat(codes, times), np.ones(times.sum())
    )
    assert weighted is not None
    assert repeated is not None
    # Not exactly: the initial scale is an unweighted median.
    np.testing.assert_allclose(weighted.weights, repeated.weights, rtol=1e-6)
    np.testing.assert_allclose(weighted.offsets, repeated.offsets, rtol=1e-6)


def test_each_pair_of_classes_learns_from_its_own_rows() -> None:
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 3, 300)
    distances = rng.exponential(size=(300, 6))
    balance = learn_distance_weights(distances, THREE, codes, np.ones(300))
    assert balance is not None
    for pair, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        rows, planes = np.isin(codes, (i, j)), slice(2 * pair, 2 * pair + 2)
        alone = learn_distance_weights(
            distances[rows][:, planes], TWO, (codes[rows] == j).astype(np.intp), np.ones(rows.sum())
        )
        assert alone is not None
        np.testing.assert_array_equal(balance.weights[planes], alone.weights)
        assert balance.offsets[pair] == alone.offsets[0]


def test_one_vs_rest_has_no_pairs() -> None:
    distances = np.random.default_rng(0).exponential(size=(30, 3))
    assert learn_distance_weights(distances, REST, np.arange(30) % 3, np.ones(30)) is None
    assert (
        fit_distance_weights(distances, REST, np.arange(30) % 3, np.arange(30) % 5, np.ones(30))
        is None
    )


def test_if_a_class_is_missing_the_nearer_plane_decides() -> None:
    distances = np.random.default_rng(0).exponential(size=(30, 2))
    balance = learn_distance_weights(distances, TWO, np.zeros(30, dtype=np.intp), np.ones(30))
    assert balance is not None
    np.testing.assert_array_equal(balance.weights, 1.0)
    np.testing.assert_array_equal(balance.offsets, 0.0)


def test_the_score_is_cross_validated() -> None:
    distances, codes = drawn(6, 400, (4.0, 1.0, -1.0))
    fold = np.arange(400) % 4
    learned = fit_distance_weights(distances, TWO, codes, fold, np.ones(400))
    assert learned is not None
    right = []
    for number in range(4):
        out = fold == number
        balance = learn_distance_weights(distances[~out], TWO, codes[~out], np.ones((~out).sum()))
        right += (decide(class_scores(distances[out], TWO, balance)) == codes[out]).tolist()
    assert learned.score == pytest.approx(np.mean(right))
    assert learned.nearest_score == pytest.approx(
        np.mean((distances[:, 0] > distances[:, 1]) == codes)
    )
    assert learned.score > learned.nearest_score + 0.02


def test_weights_that_are_clearly_worse_on_other_folds_are_rejected() -> None:
    """Each fold has a rule of its own that is wrong for the other fold."""
    rng = np.random.default_rng(7)
    near = rng.uniform(0.4, 0.6, 400)
    distances = np.stack([near, 1.0 - near], axis=1)
    codes, fold = (distances[:, 0] > distances[:, 1]).astype(np.intp), np.arange(400) % 2
    flipped = rng.uniform(size=400) < 0.45
    codes[flipped & (fold == 0)] = 1
    codes[flipped & (fold == 1)] = 0
    assert fit_distance_weights(distances, TWO, codes, fold, np.ones(400)) is None


def test_equal_weights_equal_the_rule_of_the_nearer_plane() -> None:
    distances = np.random.default_rng(0).exponential(size=(50, 6))
    alike = DistanceWeights(np.ones(6), np.zeros(3))
    np.testing.assert_array_equal(
        class_scores(distances, THREE, alike), class_scores(distances, THREE)
    )
