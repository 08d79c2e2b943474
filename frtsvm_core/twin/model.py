"""Fitted planes as plain arrays, as needed for prediction."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frtsvm_core.kernels.expansion import Expansion, expansion_of
from frtsvm_core.kernels.functions import Kernel
from frtsvm_core.twin.decision import (
    DistanceWeights,
    class_scores,
    divisors,
    one_plane_per_class,
)

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


@dataclass(frozen=True)
class PlaneModel:
    """Planes f_p(x) = base(x).coef_p + intercept_p.

    base(x) is x for the linear kernel and k(x, landmarks) for all others.
    """

    kernel: Kernel | None  # None: linear
    landmarks: Any  # rows, or row numbers for a precomputed kernel; None: linear
    coef: FloatArray  # n_planes x width of the base
    intercept: FloatArray  # n_planes
    norms: FloatArray  # n_planes: |w| or sqrt(w'Kw)
    plane_classes: IntArray  # n_planes x 2: own class, opposing class or REST
    balance: DistanceWeights | None = None  # None: the nearest plane decides

    @property
    def n_classes(self) -> int:
        return int(self.plane_classes[:, 0].max()) + 1

    @cached_property
    def one_plane_per_class(self) -> bool:
        return one_plane_per_class(self.plane_classes)

    @cached_property
    def _expansion(self) -> Expansion:
        """Map from rows to f without the intercepts; computed on first use."""
        return expansion_of(self.kernel, self.landmarks, self.coef)

    @cached_property
    def _divisors(self) -> FloatArray:
        return divisors(self.norms)

    def prepare(self) -> int:
        """Compute the arrays that do not depend on the rows; return their size in bytes."""
        return self._expansion.nbytes + self._divisors.nbytes

    def values(self, x: FloatArray) -> FloatArray:
        """Return the value f of every plane, one column each."""
        values = self._expansion(x)
        values += self.intercept
        return values

    def distances(self, x: FloatArray) -> FloatArray:
        """Return the distance |f| / norm to every plane, one column each."""
        distances = self.values(x)
        np.abs(distances, out=distances)
        distances /= self._divisors
        return distances

    def scores(self, distances: FloatArray) -> FloatArray:
        """Return the decision scores for these distances (see `class_scores`)."""
        return class_scores(distances, self.plane_classes, self.balance)


def decide(scores: FloatArray) -> IntArray:
    """Return the class numbers for scores as returned by `PlaneModel.scores`."""
    if scores.ndim == 1:
        return (scores > 0.0).astype(np.intp)
    codes: IntArray = scores.argmax(axis=1)
    return codes
