"""Decision rule: from distances to planes to class scores (docs/maths.md, section 5).

A row belongs to the class whose plane is nearest: argmin |f(x)| / norm, with norm = |w| for the
linear kernel and sqrt(w'Kw) otherwise. In one-vs-one, every pair of classes casts a vote, and ties
are broken by the confidence of the votes. `DistanceWeights`, learned by a parameter search, can
change how much each distance counts.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

REST = -1  # stands for all other classes, as the opposing class of a one-vs-rest plane

# If w = 0, f is constant. Dividing by this in place of 0 keeps the distances finite: very large if
# b != 0 (no row lies on the plane), and 0 if b = 0 (every row lies on the plane).
_SMALLEST_NORM = float(np.sqrt(np.finfo(np.float64).tiny))


@dataclass(frozen=True)
class DistanceWeights:
    """Weights of the distances: the score of a pair (i, j) is a d_i - b d_j + t (eq. 20b).

    A positive score is in favor of class j. With a = b = 1 and t = 0 the nearer plane decides. The
    two weights of a pair add up to 2 and are not negative, so a smaller distance to the plane of a
    class never counts against that class. docs/maths.md has the equation.

    Attributes
    ----------
    weights : ndarray of shape (n_planes,)
        The weights a and b of each pair, in the order of the planes.
    offsets : ndarray of shape (n_pairs,)
        The offset t of each pair.
    """

    weights: FloatArray
    offsets: FloatArray


def count_pairs(plane_classes: IntArray) -> int:
    """Return the number of class pairs with two planes; 0 for one-vs-rest with more classes."""
    several = len(plane_classes) > 2 and one_plane_per_class(plane_classes)
    return 0 if several else len(plane_classes) // 2


def divisors(norms: FloatArray) -> FloatArray:
    """Return the divisors that turn |f| into a distance, one per plane; never 0."""
    result: FloatArray = np.maximum(norms, _SMALLEST_NORM)
    return result


def plane_distances(values: FloatArray, norms: FloatArray) -> FloatArray:
    """Return the distances |f| / norm, one column per plane."""
    distances: FloatArray = np.abs(values) / divisors(norms)
    return distances


def plane_norms(g: FloatArray) -> FloatArray:
    """Return the norms of the rows of `g`, without overflow or underflow of the squares."""
    scale = np.abs(g).max(axis=1, initial=0.0)
    safe = np.where(scale > 0.0, scale, 1.0)
    norms: FloatArray = scale * np.linalg.norm(g / safe[:, None], axis=1)
    return norms


def one_plane_per_class(plane_classes: IntArray) -> bool:
    """Whether each class has exactly one plane: two classes, or one-vs-rest."""
    return len(plane_classes) == 2 or bool((plane_classes[:, 1] == REST).all())


def class_scores(
    distances: FloatArray, plane_classes: IntArray, balance: DistanceWeights | None = None
) -> FloatArray:
    """Return decision scores.

    With two classes this is one value per row, positive for class 1; otherwise one column per
    class.
    """
    offsets: FloatArray | None = None
    if balance is not None:
        distances, offsets = distances * balance.weights, balance.offsets
    if len(plane_classes) == 2:
        binary: FloatArray = distances[:, 0] - distances[:, 1]
        return binary if offsets is None else binary + offsets[0]
    if one_plane_per_class(plane_classes):
        return rest_scores(distances)
    return pair_scores(distances, plane_classes, offsets)


def pair_scores(
    distances: FloatArray, plane_classes: IntArray, offsets: FloatArray | None = None
) -> FloatArray:
    """Return one-vs-one scores, one column per class: votes plus confidence.

    The confidence is below one third of a vote, so it only breaks ties. Columns 2p and 2p + 1 of
    `distances` belong to the planes of the p-th pair (i, j), i < j.
    """
    n_classes = int(plane_classes.max()) + 1
    votes = np.zeros((distances.shape[0], n_classes))
    confidence = np.zeros_like(votes)
    for pair in range(distances.shape[1] // 2):
        i, j = plane_classes[2 * pair]
        near_i, near_j = distances[:, 2 * pair], distances[:, 2 * pair + 1]
        offset = 0.0 if offsets is None else offsets[pair]
        # In [-1, 1] whatever the scale of the data; positive in favor of j.
        total = near_i + near_j + abs(offset)
        margin = near_i - near_j + offset
        towards_j = np.divide(margin, total, out=np.zeros_like(total), where=total > 0.0)
        votes[:, i] += towards_j <= 0.0
        votes[:, j] += towards_j > 0.0
        confidence[:, i] -= towards_j
        confidence[:, j] += towards_j
    return votes + confidence / (3.0 * n_classes)


def rest_scores(distances: FloatArray) -> FloatArray:
    """Return one-vs-rest scores: distance to the nearest other plane minus that to the own one."""
    order = np.sort(distances, axis=1)
    nearest, second = order[:, :1], order[:, 1:2]
    nearest_other = np.where(distances == nearest, second, nearest)
    return nearest_other - distances
