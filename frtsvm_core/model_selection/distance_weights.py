"""Learn weights for the distances to the planes (eq. 20b of docs/maths.md) from held-out rows.

The planes are fitted separately, so a distance to one plane need not mean the same as an equal
distance to another: classes differ in spread and in number of rows. For each pair of planes

    P(class j) = 1 / (1 + exp(-(a d_i - b d_j + t)))

is fitted to out-of-fold distances by maximum likelihood, with Platt's targets and a ridge penalty
towards a = b, the rule of the nearer plane. The penalty prevents overfitting to a hundred rows.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frtsvm_core.model_selection.logistic import CLIP_AT_MEDIANS, fit_logistic, smoothed_targets
from frtsvm_core.twin.decision import DistanceWeights, class_scores, count_pairs
from frtsvm_core.twin.model import decide

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

# Ridge penalty on the weights, relative to weights of 1: setting a weight to 0 or to 2 costs half
# of this value in log loss. With values from 5 to 100 the accuracy on held-out rows was the same
# within 0.05 percentage points (mean of 18 data sets; no command of the repository measures it).
_RIDGE = 25.0


@dataclass(frozen=True)
class LearnedBalance:
    """Distance weights, with their cross-validated accuracy.

    Attributes
    ----------
    balance : DistanceWeights
        Weights and offsets of the distances.
    score : float
        Accuracy of the weighted rule on folds that were not used to learn it.
    nearest_score : float
        Accuracy of the rule of the nearer plane on the same rows.
    """

    balance: DistanceWeights
    score: float
    nearest_score: float


def fit_distance_weights(
    distances: FloatArray,
    plane_classes: IntArray,
    codes: IntArray,
    fold: IntArray,
    weight: FloatArray,
) -> LearnedBalance | None:
    """Learn distance weights, or return None to keep the rule of the nearer plane.

    `fold` is the number of the fold that held each row out. The weighted rule is evaluated on each
    fold after learning from the other folds. The result is None if the weighted rule makes more
    errors than the nearer plane by more than two standard errors, or if there are no pairs of
    planes.
    """
    balance = learn_distance_weights(distances, plane_classes, codes, weight)
    if balance is None:
        return None
    nearest = decide(class_scores(distances, plane_classes)) == codes
    balanced = np.empty_like(nearest)
    for number in np.unique(fold):
        out = fold == number
        learned = learn_distance_weights(distances[~out], plane_classes, codes[~out], weight[~out])
        scores = class_scores(distances[out], plane_classes, learned)
        balanced[out] = decide(scores) == codes[out]
    changed = weight * (balanced.astype(np.float64) - nearest)
    if changed.sum() < -2.0 * np.sqrt(np.square(changed).sum()):
        return None
    return LearnedBalance(
        balance,
        float(np.average(balanced, weights=weight)),
        float(np.average(nearest, weights=weight)),
    )


def learn_distance_weights(
    distances: FloatArray, plane_classes: IntArray, codes: IntArray, weight: FloatArray
) -> DistanceWeights | None:
    """Learn the weights of each pair of planes; return None for one-vs-rest, which has no pairs."""
    n_pairs = count_pairs(plane_classes)
    if n_pairs == 0:
        return None
    weights, offsets = np.ones(2 * n_pairs), np.zeros(n_pairs)
    for pair in range(n_pairs):
        i, j = plane_classes[2 * pair]
        planes = slice(2 * pair, 2 * pair + 2)
        rows = (codes == i) | (codes == j)
        found = _learn_pair(distances[rows, planes], codes[rows] == j, weight[rows])
        weights[planes], offsets[pair] = found[:2], found[2]
    return DistanceWeights(weights, offsets)


def _learn_pair(
    distances: FloatArray, positive: NDArray[np.bool_], weight: FloatArray
) -> FloatArray:
    """Return a, b and t of one pair, scaled so that a + b = 2."""
    nearer_plane = np.array([1.0, 1.0, 0.0])
    if weight[positive].sum() == 0.0 or weight[~positive].sum() == 0.0:
        return nearer_plane
    scale = float(np.median(distances)) or 1.0
    d = np.minimum(distances / scale, CLIP_AT_MEDIANS)
    constant = np.ones(positive.size)
    targets = smoothed_targets(positive, weight)
    # The slope of the rule with equal weights is the unit of the weights.
    alike = np.stack([d[:, 0] - d[:, 1], constant], axis=1)
    slope, offset = fit_logistic(alike, targets, weight, np.zeros(2))
    if not slope > 0.0:
        return nearer_plane
    design = np.stack([slope * d[:, 0], -slope * d[:, 1], constant], axis=1)
    start, ridge = np.array([1.0, 1.0, offset]), np.array([_RIDGE, _RIDGE, 0.0])
    theta = fit_logistic(design, targets, weight, start, ridge)
    negative = int(theta[:2].argmin())
    if theta[negative] < 0.0:  # weights are non-negative: set it to 0 and refit the others
        kept = [1 - negative, 2]
        theta = np.zeros(3)
        theta[kept] = fit_logistic(design[:, kept], targets, weight, start[kept], ridge[kept])
    half = 0.5 * (theta[0] + theta[1])
    if not half > 0.0:
        return nearer_plane
    return np.array([theta[0] / half, theta[1] / half, scale * theta[2] / (slope * half)])
