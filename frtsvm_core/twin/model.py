"""Fitted planes as plain arrays: all that prediction needs."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frtsvm_core.kernels.functions import Kernel, in_blocks
from frtsvm_core.twin.decision import class_scores, one_plane_per_class, plane_distances

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


@dataclass(frozen=True)
class PlaneModel:
    """f_p(x) = base(x).coef_p + intercept_p, with base(x) = x, or k(x, landmarks) for a kernel."""

    kernel: Kernel | None  # None: linear
    landmarks: Any  # rows, or row numbers for a precomputed kernel; None: linear
    coef: FloatArray  # n_planes x width of the base
    intercept: FloatArray  # n_planes
    norms: FloatArray  # n_planes: |w| or sqrt(w'Kw)
    plane_classes: IntArray  # n_planes x 2: own class, opposing class or REST

    @property
    def n_classes(self) -> int:
        return int(self.plane_classes[:, 0].max()) + 1

    @property
    def one_plane_per_class(self) -> bool:
        return one_plane_per_class(self.plane_classes)

    def values(self, x: FloatArray) -> FloatArray:
        """f of every plane, one column each; kernel rows are formed block by block."""
        if self.kernel is None:
            return x @ self.coef.T + self.intercept
        values = np.empty((x.shape[0], self.coef.shape[0]))
        for block in in_blocks(x.shape[0], self.coef.shape[1]):
            values[block] = self.kernel(x[block], self.landmarks) @ self.coef.T
        values += self.intercept
        return values

    def distances(self, x: FloatArray) -> FloatArray:
        """Distance to every plane, one column each."""
        return plane_distances(self.values(x), self.norms)

    def scores(self, distances: FloatArray) -> FloatArray:
        """Decision scores: one column, positive for class 1, with two classes; else one per class."""
        return class_scores(distances, self.plane_classes)


def decide(scores: FloatArray) -> IntArray:
    """Class codes for scores as `PlaneModel.scores` gives them."""
    if scores.ndim == 1:
        return (scores > 0.0).astype(np.intp)
    codes: IntArray = scores.argmax(axis=1)
    return codes
