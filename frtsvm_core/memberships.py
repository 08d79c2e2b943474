"""Fuzzy memberships: how far each training row is trusted (docs/maths.md, section 1).

"center"     the paper's: falls with the distance d to the centre of the row's own class,
             s = f (1 - d/(r + delta)), with f = mu where another centre is at least as near, else 1 - mu
"neighbors"  s = f q with q the share of the k nearest rows that carry the same label, and f = mu
             where q < 1/2
"none"       s = 1: a regularized twin SVM

A row on the mu branch is *suspected noise*. Weights count rows: weight 2 is the row twice, in the
centres as among the neighbours. With more than two classes, "another centre" is the nearest one.
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

# The farthest row of a class keeps this much, so that rounding alone can never remove a row.
_LEAST = float(np.finfo(np.float64).eps)
# Above this many distinct rows the neighbours come from a sample of that size. Trees find them among few
# features; beyond, every distance is computed.
MAX_REFERENCE = 20_000
MAX_REFERENCE_BEYOND_TREES = 5_000
_MOST_FEATURES_OF_TREES = 15
# Distances this close, relatively, are equal.
_TIED = 1e-12
# Ties at the k-th distance are followed up to this many times k rows, then cut.
_TIE_FACTOR = 8


@dataclass(frozen=True)
class Memberships:
    values: FloatArray
    suspected: NDArray[np.bool_]


def no_memberships(n_rows: int) -> Memberships:
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
    """The paper's memberships; `feature_space` selects its nonlinear form, which puts delta under
    the root. `rows` are input rows or, for a kernel, rows of the factor F: |F_i - F_j| is the
    distance in feature space."""
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
    """Squared distances of rows to the centre of their class, and to the nearest other one."""
    squared = _squared_distances(rows, centers)
    everyone = np.arange(rows.shape[0])
    own = squared[everyone, codes].copy()
    squared[everyone, codes] = np.inf
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
    """The paper's memberships from squared distances: to the own centre, to the nearest other one, and
    of the farthest row of the class."""
    suspected = own >= other
    if feature_space:
        ratio = np.sqrt(own / (radius + delta))
    else:
        ratio = np.sqrt(own) / (np.sqrt(radius) + delta)
    return Memberships(_factor(suspected, mu) * np.maximum(1.0 - ratio, _LEAST), suspected)


def neighbor_memberships(
    rows: FloatArray,
    codes: IntArray,
    weight: FloatArray,
    *,
    mu: float,
    rng: np.random.Generator,
) -> Memberships:
    """Memberships from the labels of the k nearest rows; k is N_NEIGHBORS, or all other rows of the
    class where that has fewer, so that a small class is not outvoted for being small. In large data
    the neighbours are looked for among a random sample."""
    points, point_of = np.unique(rows, axis=0, return_inverse=True)
    point_of = point_of.reshape(-1)
    mass = np.zeros((points.shape[0], int(codes.max()) + 1))
    np.add.at(mass, (point_of, codes), weight)
    # One question per (point, label): equal rows with equal labels share the answer.
    question, asked_by = np.unique(np.stack([point_of, codes], axis=1), axis=0, return_inverse=True)
    sample = np.arange(points.shape[0])
    most = most_reference_rows(points.shape[1])
    if sample.size > most:
        sample = np.sort(rng.choice(sample.size, most, replace=False))
    neighborhood = _Neighborhood(points[sample], sample, mass[sample])
    share = neighborhood.label_shares(points, question)[asked_by.reshape(-1)]
    suspected = share < 0.5
    return Memberships(_factor(suspected, mu) * share, suspected)


def most_reference_rows(n_features: int) -> int:
    """Among how many distinct rows neighbours are looked for."""
    with_trees = n_features <= _MOST_FEATURES_OF_TREES
    return MAX_REFERENCE if with_trees else MAX_REFERENCE_BEYOND_TREES


@dataclass(frozen=True)
class _Neighborhood:
    """Distinct points with the weight that each class has on them."""

    points: FloatArray
    number: IntArray  # of each point, among all points that questions are asked for
    mass: FloatArray  # points x classes

    def label_shares(self, everyone: FloatArray, question: IntArray) -> FloatArray:
        """For each (point, label) asked: of the nearest rows other than itself, the share with that
        label; 1 where the label has no other row."""
        need = np.minimum(N_NEIGHBORS, self.mass.sum(axis=0)[question[:, 1]] - 1.0)
        shares = np.ones(len(question))
        finder = NearestNeighbors().fit(self.points)
        n_points = self.points.shape[0]
        reach = min(n_points, 2 * N_NEIGHBORS)
        most = min(n_points, _TIE_FACTOR * N_NEIGHBORS)
        waiting = np.flatnonzero(need > 0.0)
        while waiting.size:
            asked = question[waiting]
            distance, found = finder.kneighbors(everyone[asked[:, 0]], n_neighbors=reach)
            answer, enough, tied = self._nearest(distance, found, asked, need[waiting])
            settled = (enough & ~tied) if reach < most else enough
            if reach == n_points:
                settled[:] = True
            shares[waiting[settled]] = answer[settled]
            waiting = waiting[~settled]
            reach = min(n_points, 2 * reach)
        return shares

    def _nearest(
        self, distance: FloatArray, found: IntArray, asked: IntArray, need: FloatArray
    ) -> tuple[FloatArray, NDArray[np.bool_], NDArray[np.bool_]]:
        """Shares among what was found, whether it was enough, and whether rows that were not found
        may lie as near as the last one needed. Rows at that distance count in equal parts, so that
        neither their order nor a weight in place of repeated rows makes a difference."""
        itself = self.number[found] == asked[:, :1]
        total = np.maximum(self.mass[found].sum(axis=2) - itself, 0.0)
        same = np.maximum(self.mass[found, asked[:, 1:]] - itself, 0.0)
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
    """Weighted mean of rows[index]; exact where these rows are all equal."""
    mean: FloatArray = rows[index[0]] + _mean_offset(rows, index, weight)
    return mean


def _factor(suspected: NDArray[np.bool_], mu: float) -> FloatArray:
    return np.where(suspected, mu, 1.0 - mu)


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract", "nsz"})
def _mean_offset(rows: Any, index: Any, weight: Any) -> Any:
    """Weighted mean of rows[index] - rows[index[0]], in one pass and without a copy."""
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
