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
    squared = _squared_distances(rows, centers)
    everyone = np.arange(rows.shape[0])
    own = squared[everyone, codes].copy()
    squared[everyone, codes] = np.inf
    suspected = own >= squared.min(axis=1)
    radius = np.array([own[codes == k].max() for k in range(n_classes)])[codes]
    if feature_space:
        ratio = np.sqrt(own / (radius + delta))
    else:
        ratio = np.sqrt(own) / (np.sqrt(radius) + delta)
    return Memberships(_factor(suspected, mu) * np.maximum(1.0 - ratio, _LEAST), suspected)


def neighbor_memberships(
    rows: FloatArray, codes: IntArray, weight: FloatArray, *, mu: float
) -> Memberships:
    """Memberships from the labels of the k nearest rows; k is N_NEIGHBORS, or all other rows of the
    class where that has fewer, so that a small class is not outvoted for being small."""
    points, point_of = np.unique(rows, axis=0, return_inverse=True)
    point_of = point_of.reshape(-1)
    n_classes = int(codes.max()) + 1
    mass = np.zeros((points.shape[0], n_classes))
    np.add.at(mass, (point_of, codes), weight)
    class_size = mass.sum(axis=0)

    share = np.ones(rows.shape[0])
    wanted = np.minimum(N_NEIGHBORS, class_size[codes] - 1.0)
    voting = np.flatnonzero(wanted > 0.0)
    finder = NearestNeighbors().fit(points)
    # One question per (point, label): equal rows with equal labels share the answer.
    question, asked_by = np.unique(
        np.stack([point_of[voting], codes[voting]], axis=1), axis=0, return_inverse=True
    )
    need = np.minimum(N_NEIGHBORS, class_size[question[:, 1]] - 1.0)
    share[voting] = _label_shares(finder, points, mass, question, need)[asked_by.reshape(-1)]
    suspected = share < 0.5
    return Memberships(_factor(suspected, mu) * share, suspected)


def _label_shares(
    finder: NearestNeighbors,
    points: FloatArray,
    mass: FloatArray,
    question: IntArray,
    need: FloatArray,
) -> FloatArray:
    """For each (point, label): of the `need` nearest rows other than itself, the share with that
    label. Rows at the same distance as the last one needed count in equal parts."""
    result = np.empty(len(question))
    open_ = np.arange(len(question))
    reach = min(points.shape[0], 2 * N_NEIGHBORS)
    most = min(points.shape[0], max(_TIE_FACTOR * N_NEIGHBORS, reach))
    while open_.size:
        point, label = question[open_, 0], question[open_, 1]
        distance, found = finder.kneighbors(points[point], n_neighbors=reach)
        found_mass = mass[found].sum(axis=2)
        same_mass = np.take_along_axis(
            mass[found], label[:, None, None].repeat(reach, axis=1), axis=2
        )[:, :, 0]
        # The row itself is not its own neighbour.
        itself = found == point[:, None]
        found_mass = np.maximum(found_mass - itself, 0.0)
        same_mass = np.maximum(same_mass - itself, 0.0)
        needed = need[open_]
        reached = np.cumsum(found_mass, axis=1)
        last = np.minimum((reached < needed[:, None] * (1 - 1e-12)).sum(axis=1), reach - 1)
        edge = np.take_along_axis(distance, last[:, None], axis=1)
        within = distance < edge * (1 - 1e-12)
        at_edge = ~within & (distance <= edge * (1 + 1e-12))
        inner_mass = (found_mass * within).sum(axis=1)
        edge_mass = (found_mass * at_edge).sum(axis=1)
        part = np.clip((needed - inner_mass) / np.maximum(edge_mass, 1e-300), 0.0, 1.0)
        same = (same_mass * within).sum(axis=1) + part * (same_mass * at_edge).sum(axis=1)
        total = inner_mass + part * edge_mass
        settled = (distance[:, -1] > edge[:, 0] * (1 + 1e-12)) & (reached[:, -1] >= needed)
        if reach >= most:
            settled[:] = reached[:, -1] >= needed
            if reach == points.shape[0]:
                settled[:] = True
        done = open_[settled]
        result[done] = (same / np.maximum(total, 1e-300))[settled]
        open_ = open_[~settled]
        reach = min(points.shape[0], 2 * reach)
    return result


def class_mean(rows: FloatArray, index: IntArray, weight: FloatArray) -> FloatArray:
    """Weighted mean of rows[index]; exact where these rows are all equal."""
    reference = rows[index[0]]
    share = weight[index] / weight[index].sum()
    total = np.zeros(rows.shape[1])
    for start in range(0, index.size, 4096):
        block = slice(start, start + 4096)
        total += share[block] @ (rows[index[block]] - reference)
    mean: FloatArray = reference + total
    return mean


def _factor(suspected: NDArray[np.bool_], mu: float) -> FloatArray:
    return np.where(suspected, mu, 1.0 - mu)


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
