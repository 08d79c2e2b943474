"""From planes to classes (docs/maths.md, section 5).

A row belongs to the class whose plane is nearer: argmin |f(x)| / norm, with norm = |w| for the linear
kernel and sqrt(w'Kw) otherwise. Several pairs vote; ties are broken by how clear the votes were.
A search may have learned that the distances should not count alike: a `Balance`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

REST = -1  # "all other classes", as the opposing class of a one-vs-rest plane

# A plane with w = 0 has no direction. Dividing by this instead of 0 keeps its distances finite: far
# from everything if b != 0 (the plane is empty), and 0 if b = 0 too (every row lies on it).
_NO_DIRECTION = float(np.sqrt(np.finfo(np.float64).tiny))


@dataclass(frozen=True)
class Balance:
    """How much the distances of a pair (i, j) count: towards j speaks a d_i - b d_j + t.

    The nearer plane decides with a = b = 1 and t = 0. The weights are not negative, so that coming
    nearer to the plane of a class never speaks against it, and those of a pair add up to 2.
    """

    weights: FloatArray  # one per plane
    offsets: FloatArray  # one per pair


def pairs_of(plane_classes: IntArray) -> int:
    """How many pairs of classes have two planes each; none where each class has one against the rest."""
    several = len(plane_classes) > 2 and one_plane_per_class(plane_classes)
    return 0 if several else len(plane_classes) // 2


def divisors(norms: FloatArray) -> FloatArray:
    """What |f| is divided by to be a distance, one for each plane."""
    result: FloatArray = np.maximum(norms, _NO_DIRECTION)
    return result


def plane_distances(values: FloatArray, norms: FloatArray) -> FloatArray:
    """Distances |f| / norm, one column per plane."""
    distances: FloatArray = np.abs(values) / divisors(norms)
    return distances


def plane_norms(g: FloatArray) -> FloatArray:
    """Row norms without overflow or underflow of the squares."""
    scale = np.abs(g).max(axis=1, initial=0.0)
    safe = np.where(scale > 0.0, scale, 1.0)
    norms: FloatArray = scale * np.linalg.norm(g / safe[:, None], axis=1)
    return norms


def one_plane_per_class(plane_classes: IntArray) -> bool:
    """Two classes, or one-vs-rest."""
    return len(plane_classes) == 2 or bool((plane_classes[:, 1] == REST).all())


def class_scores(
    distances: FloatArray, plane_classes: IntArray, balance: Balance | None = None
) -> FloatArray:
    """Decision scores: one column, positive for class 1, with two classes; else one per class."""
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
    """One-vs-one scores, one column per class: votes, plus a confidence that never outweighs one.

    Columns 2p and 2p + 1 of `distances` are the planes of the p-th pair (i, j), i < j.
    """
    n_classes = int(plane_classes.max()) + 1
    votes = np.zeros((distances.shape[0], n_classes))
    confidence = np.zeros_like(votes)
    for pair in range(distances.shape[1] // 2):
        i, j = plane_classes[2 * pair]
        near_i, near_j = distances[:, 2 * pair], distances[:, 2 * pair + 1]
        offset = 0.0 if offsets is None else offsets[pair]
        # In [-1, 1], and free of the scale of the data: positive towards j.
        total = near_i + near_j + abs(offset)
        margin = near_i - near_j + offset
        towards_j = np.divide(margin, total, out=np.zeros_like(total), where=total > 0.0)
        votes[:, i] += towards_j <= 0.0
        votes[:, j] += towards_j > 0.0
        confidence[:, i] -= towards_j
        confidence[:, j] += towards_j
    return votes + confidence / (3.0 * n_classes)


def rest_scores(distances: FloatArray) -> FloatArray:
    """One-vs-rest scores, one column per class: how much nearer its plane is than the nearest other."""
    order = np.sort(distances, axis=1)
    nearest, second = order[:, :1], order[:, 1:2]
    nearest_other = np.where(distances == nearest, second, nearest)
    return nearest_other - distances
