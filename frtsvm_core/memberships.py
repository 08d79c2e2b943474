"""Fuzzy memberships: factors in [0, 1] of the slack costs of the training rows.

See docs/maths.md, section 1. There are three kinds of memberships s:

"center"     the paper's: decreases with the distance d to the center of the row's own class.
             s = f (1 - d/(r + delta)) for the linear kernel, and
             s = f (1 - sqrt(d^2/(r^2 + delta))) in the feature space of other kernels, where r is
             the largest d in the class; f = mu if the center of another class is at least as near,
             else f = 1 - mu
"neighbors"  s = f q, where q is the share of the k = 10 nearest rows that have the same label;
             f = mu if q < 1/2, else f = 1 - mu
"none"       s = 1, which gives a regularized twin SVM without memberships

A row with f = mu is *suspected noise*. A row of weight 2 has the same effect as the row repeated
twice, in the centers and among the neighbors.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

MEMBERSHIPS = ("center", "none", "neighbors")
N_NEIGHBORS = 10

# Lower limit of 1 - d/(r + delta), so that rounding alone cannot give a row the membership 0.
_MIN_CLOSENESS = float(np.finfo(np.float64).eps)
# With more distinct rows than this, neighbors are searched in a random sample of this size. The
# limit is lower with many features, where a search tree does not help and all distances are
# computed.
MAX_REFERENCE = 20_000
MAX_REFERENCE_BEYOND_TREES = 5_000
_MOST_FEATURES_OF_TREES = 15
# Distances whose relative difference is below this are treated as equal.
_TIED = 1e-12
# At most this many times k neighbors are fetched to find all rows tied at the k-th distance.
_TIE_FACTOR = 8


@dataclass(frozen=True)
class Memberships:
    """Memberships of the training rows, and which rows are suspected noise."""

    values: FloatArray
    suspected: NDArray[np.bool_]


def no_memberships(n_rows: int) -> Memberships:
    """Return membership 1 for every row."""
    return Memberships(np.ones(n_rows), np.zeros(n_rows, dtype=bool))


def center_memberships(
    rows: FloatArray,
    codes: IntArray,
    weight: FloatArray,
    *,
    mu: float,
    delta: float,
    feature_space: bool,
) -> Memberships:
    """Compute the paper's memberships (eq. 1 to 3).

    `rows` are the input rows or, for a kernel, the rows of the factor F, whose distances are those
    in feature space. `feature_space` selects eq. 2 (delta under the square root) in place of eq. 1.
    """
    n_classes = int(codes.max()) + 1
    centers = np.stack(
        [class_mean(rows, np.flatnonzero(codes == k), weight) for k in range(n_classes)]
    )
    own, other = own_and_other_distances(rows, codes, centers)
    radius = np.array([own[codes == k].max() for k in range(n_classes)])
    return memberships_at(
        own, other, radius[codes], mu=mu, delta=delta, feature_space=feature_space
    )


def own_and_other_distances(
    rows: FloatArray, codes: IntArray, centers: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return squared distances of rows to their own class center and the nearest other one."""
    squared = _squared_distances(rows, centers)
    every_row = np.arange(rows.shape[0])
    own = squared[every_row, codes].copy()
    squared[every_row, codes] = np.inf
    return own, squared.min(axis=1)


def memberships_at(
    own: FloatArray,
    other: FloatArray,
    radius: FloatArray,
    *,
    mu: float,
    delta: float,
    feature_space: bool,
) -> Memberships:
    """Compute the paper's memberships from squared distances (eq. 1 to 3).

    `own` and `other` are the squared distances to the own center and to the nearest other center,
    `radius` is the largest `own` in the class of the row.
    """
    suspected = own >= other
    if feature_space:
        ratio = np.sqrt(own / (radius + delta))
    else:
        ratio = np.sqrt(own) / (np.sqrt(radius) + delta)
    return Memberships(_factor(suspected, mu) * np.maximum(1.0 - ratio, _MIN_CLOSENESS), suspected)


def neighbor_memberships(
    rows: FloatArray,
    codes: IntArray,
    weight: FloatArray,
    *,
    mu: float,
    rng: np.random.Generator,
) -> Memberships:
    """Compute memberships from the labels of the k nearest rows.

    k is N_NEIGHBORS, or the number of other rows of the class if that is smaller, so that the rows
    of a small class are not suspected only because the class is small. With many rows, neighbors
    are searched in a random sample (see `most_reference_rows`).
    """
    points, point_of = np.unique(rows, axis=0, return_inverse=True)
    point_of = point_of.reshape(-1)
    mass = np.zeros((points.shape[0], int(codes.max()) + 1))
    np.add.at(mass, (point_of, codes), weight)
    # Equal rows with equal labels have the same neighbors: one query per distinct (point, label).
    queries, query_of_row = np.unique(
        np.stack([point_of, codes], axis=1), axis=0, return_inverse=True
    )
    sample = np.arange(points.shape[0])
    most = most_reference_rows(points.shape[1])
    if sample.size > most:
        sample = np.sort(rng.choice(sample.size, most, replace=False))
    neighborhood = _Neighborhood(points[sample], sample, mass[sample])
    share = neighborhood.label_shares(points, queries)[query_of_row.reshape(-1)]
    suspected = share < 0.5
    return Memberships(_factor(suspected, mu) * share, suspected)


def most_reference_rows(n_features: int) -> int:
    """Return the largest number of distinct rows among which neighbors are searched."""
    with_trees = n_features <= _MOST_FEATURES_OF_TREES
    return MAX_REFERENCE if with_trees else MAX_REFERENCE_BEYOND_TREES


@dataclass(frozen=True)
class _Neighborhood:
    """Distinct points, with the total weight of each class at each point."""

    points: FloatArray
    number: IntArray  # index of each point among all points for which shares are computed
    mass: FloatArray  # points x classes

    def label_shares(self, all_points: FloatArray, queries: IntArray) -> FloatArray:
        """Return, for each (point, label), the share of its nearest other rows with that label.

        The share is 1 if no other row has the label.
        """
        need = np.minimum(N_NEIGHBORS, self.mass.sum(axis=0)[queries[:, 1]] - 1.0)
        shares = np.ones(len(queries))
        finder = NearestNeighbors().fit(self.points)
        n_points = self.points.shape[0]
        n_fetched = min(n_points, 2 * N_NEIGHBORS)
        most = min(n_points, _TIE_FACTOR * N_NEIGHBORS)
        pending = np.flatnonzero(need > 0.0)
        while pending.size:
            batch = queries[pending]
            distance, found = finder.kneighbors(all_points[batch[:, 0]], n_neighbors=n_fetched)
            share, enough, tied = self._nearest(distance, found, batch, need[pending])
            done = (enough & ~tied) if n_fetched < most else enough
            if n_fetched == n_points:
                done[:] = True
            shares[pending[done]] = share[done]
            pending = pending[~done]
            n_fetched = min(n_points, 2 * n_fetched)
        return shares

    def _nearest(
        self, distance: FloatArray, found: IntArray, queries: IntArray, need: FloatArray
    ) -> tuple[FloatArray, NDArray[np.bool_], NDArray[np.bool_]]:
        """Return the label shares among the fetched points, and two flags per query.

        The flags say whether the fetched points have enough weight, and whether points that were
        not fetched may be as near as the last one needed. Rows tied at that distance count in equal
        parts, so the result depends neither on their order nor on whether a row is repeated or has
        a weight.
        """
        itself = self.number[found] == queries[:, :1]
        total = np.maximum(self.mass[found].sum(axis=2) - itself, 0.0)
        same = np.maximum(self.mass[found, queries[:, 1:]] - itself, 0.0)
        reached = np.cumsum(total, axis=1)
        enough = reached[:, -1] >= need * (1.0 - _TIED)
        last = (reached < need[:, None] * (1.0 - _TIED)).sum(axis=1).clip(max=found.shape[1] - 1)
        edge = np.take_along_axis(distance, last[:, None], axis=1)
        inside = distance < edge * (1.0 - _TIED)
        on_edge = ~inside & (distance <= edge * (1.0 + _TIED))
        on_edge_total = (total * on_edge).sum(axis=1)
        missing = np.clip(need - (total * inside).sum(axis=1), 0.0, on_edge_total)
        part = np.divide(missing, on_edge_total, out=np.zeros_like(need), where=on_edge_total > 0.0)
        counted = inside + part[:, None] * on_edge
        weight = (total * counted).sum(axis=1)
        share = np.divide(
            (same * counted).sum(axis=1), weight, out=np.ones_like(need), where=weight > 0.0
        )
        return share, enough, distance[:, -1] <= edge[:, 0] * (1.0 + _TIED)


def class_mean(rows: FloatArray, index: IntArray, weight: FloatArray) -> FloatArray:
    """Return the weighted mean of rows[index]; it is exact if these rows are all equal."""
    mean: FloatArray = rows[index[0]] + _mean_offset(rows, index, weight)
    return mean


def _factor(suspected: NDArray[np.bool_], mu: float) -> FloatArray:
    return np.where(suspected, mu, 1.0 - mu)


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract", "nsz"})
def _mean_offset(rows: Any, index: Any, weight: Any) -> Any:
    """Return the weighted mean of rows[index] - rows[index[0]], in one pass and without a copy."""
    width = rows.shape[1]
    offset = np.zeros(width)
    total = 0.0
    first = index[0]
    for i in index:
        total += weight[i]
        for j in range(width):
            offset[j] += weight[i] * (rows[i, j] - rows[first, j])
    return offset / total


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract", "nsz"})
def _squared_distances(rows: Any, centers: Any) -> Any:
    n_rows, width = rows.shape
    n_centers = centers.shape[0]
    squared = np.empty((n_rows, n_centers))
    for i in range(n_rows):
        for k in range(n_centers):
            total = 0.0
            for j in range(width):
                difference = rows[i, j] - centers[k, j]
                total += difference * difference
            squared[i, k] = total
    return squared
