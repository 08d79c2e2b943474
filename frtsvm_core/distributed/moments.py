"""Means, scatter matrices and radii of classes whose rows are distributed over partitions.

Each partition computes its own moments; those of two partitions are combined by

    m = (n1 m1 + n2 m2) / n,     S = S1 + S2 + (n1 n2 / n) (m1 - m2)(m1 - m2)'

Unlike sums of x and xx', this never subtracts large squares from each other, so it avoids
cancellation.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frtsvm_core.memberships import own_and_other_distances
from frtsvm_core.twin.whitening import ClassScatter, class_scatter

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


@dataclass(frozen=True)
class Moments:
    """Moments of the rows of one class, in one partition or in several."""

    count: int
    mean: FloatArray
    scatter: FloatArray

    def __add__(self, other: "Moments") -> "Moments":
        if self.count == 0 or other.count == 0:
            return self if other.count == 0 else other
        count = self.count + other.count
        apart = other.mean - self.mean
        mean = self.mean + apart * (other.count / count)
        between = np.outer(apart, apart) * (self.count * other.count / count)
        return Moments(count, mean, self.scatter + other.scatter + between)

    def as_class_scatter(self) -> ClassScatter:
        """Return the moments as input for a whitening, without the rows."""
        nothing = np.empty(0)
        return ClassScatter(
            nothing.astype(np.intp), nothing, float(self.count), self.mean, self.scatter, 0.0
        )


def moments_of(rows: FloatArray, codes: IntArray, n_classes: int) -> list[Moments]:
    """Compute the moments of every class in one partition."""
    width = rows.shape[1]
    weight = np.ones(rows.shape[0])
    found = []
    for code in range(n_classes):
        index = np.flatnonzero(codes == code)
        if index.size == 0:
            found.append(Moments(0, np.zeros(width), np.zeros((width, width))))
            continue
        own = class_scatter(rows, index, weight)
        found.append(Moments(index.size, own.mean, own.scatter))
    return found


def combine_moments(parts: Iterable[list[Moments]]) -> list[Moments]:
    """Combine the moments of every class over all partitions, in any order."""
    total: list[Moments] = []
    for part in parts:
        total = [a + b for a, b in zip(total, part, strict=True)] if total else part
    return total


def squared_radii(rows: FloatArray, codes: IntArray, centers: FloatArray) -> FloatArray:
    """Return the largest squared distance of each class's rows to its center, in one partition."""
    radii = np.zeros(centers.shape[0])
    if rows.shape[0]:
        own, _ = own_and_other_distances(rows, codes, centers)
        np.maximum.at(radii, codes, own)
    return radii
