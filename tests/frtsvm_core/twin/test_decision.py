"""Decision rule: distances, votes, ties and distance weights."""

import numpy as np

from frtsvm_core.twin.decision import (
    DistanceWeights,
    class_scores,
    count_pairs,
    pair_scores,
    plane_distances,
    rest_scores,
)

PAIRS = np.array([(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)])


def test_distance_is_value_over_norm():
    np.testing.assert_allclose(plane_distances(np.array([[3.0, -4.0]]), np.array([2.0, 8.0])),
                               [[1.5, 0.5]])  # fmt: skip


def test_distance_to_a_constant_plane_is_huge_or_zero():
    empty, everywhere = plane_distances(np.array([[0.1, 0.0]]), np.zeros(2))[0]
    assert empty > 1e100
    assert np.isfinite(empty)
    assert everywhere == 0.0


def test_majority_of_pairs_decides():
    # class 2 is nearer than both others in its pairs
    scores = pair_scores(np.array([[1.0, 2.0, 3.0, 1.0, 4.0, 1.0]]), PAIRS)
    assert scores.argmax() == 2
    assert scores[0, 2] > 2 - 1 / 3


def test_cycle_is_decided_by_confidence():
    # 0 beats 1, 1 beats 2, 2 beats 0; the last vote has the highest confidence
    scores = pair_scores(np.array([[1.0, 1.1, 10.0, 1.0, 1.0, 1.1]]), PAIRS)
    assert scores.argmax() == 2


def test_confidence_never_outweighs_a_vote():
    rng = np.random.default_rng(0)
    distances = rng.exponential(size=(500, 6)) ** 3
    scores = pair_scores(distances, PAIRS)
    votes = np.round(scores)
    np.testing.assert_array_equal(votes.sum(axis=1), 3)
    assert (np.abs(scores - votes) < 0.5).all()


def test_two_planes_at_distance_zero_are_a_tie():
    scores = pair_scores(np.zeros((1, 2)), np.array([(0, 1), (1, 0)]))
    assert np.isfinite(scores).all()
    assert scores.argmax() == 0


def test_rest_scores_compare_with_the_nearest_other_plane():
    scores = rest_scores(np.array([[1.0, 3.0, 2.0], [2.0, 2.0, 5.0]]))
    np.testing.assert_allclose(scores, [[1.0, -2.0, -1.0], [0.0, 0.0, -3.0]])


def test_distance_weights_of_two_planes():
    learned = DistanceWeights(np.array([1.5, 0.5]), np.array([-0.25]))
    scores = class_scores(np.array([[1.0, 2.0], [0.5, 1.0]]), PAIRS[:2], learned)
    np.testing.assert_allclose(scores, [0.25, 0.0])


def test_distance_weights_of_several_pairs_and_confidence_below_a_vote():
    rng = np.random.default_rng(1)
    distances = rng.exponential(size=(500, 6))
    weights = rng.uniform(0.0, 2.0, 3)
    learned = DistanceWeights(
        np.stack([weights, 2.0 - weights], axis=1).ravel(), rng.normal(size=3)
    )
    scores = class_scores(distances, PAIRS, learned)
    votes = np.zeros((500, 3))
    for pair, (i, j) in enumerate(PAIRS[::2]):
        margin = distances[:, 2 * pair : 2 * pair + 2] * [weights[pair], weights[pair] - 2.0]
        towards_j = margin.sum(axis=1) + learned.offsets[pair] > 0.0
        votes[:, j] += towards_j
        votes[:, i] += ~towards_j
    np.testing.assert_array_equal(np.round(scores), votes)
    assert (np.abs(scores - votes) < 0.5).all()


def test_pairs_are_counted():
    assert count_pairs(PAIRS[:2]) == 1
    assert count_pairs(PAIRS) == 3
    assert count_pairs(np.array([(0, -1), (1, -1), (2, -1)])) == 0
