"""Memberships of training rows, for methods that use them as row weights."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks.paper.methods.rows import Rows
from frtsvm_core.memberships import center_memberships, neighbor_memberships

FloatArray = NDArray[np.float64]

DELTA = 1e-10
# Added to the diagonal, so that equal rows do not stop the factorization; negligible for distances.
_JITTER = 1e-10


@dataclass(frozen=True)
class MembershipWeights:
    """Computes the memberships of the given kind; `mu` is the factor for suspected rows."""

    membership: str
    mu: float = 0.1

    def of(self, rows: Rows, kernel: str, gamma: float | None) -> FloatArray:
        codes = (rows.y > 0).astype(np.intp)
        weight = np.ones(rows.size)
        if self.membership == "neighbors":
            rng = np.random.default_rng(0)
            return neighbor_memberships(rows.x, codes, weight, mu=self.mu, rng=rng).values
        linear = kernel == "linear"
        # The distances between rows of a factor of the kernel matrix are those in feature space.
        space = rows.x if linear else _factor(rbf_kernel(rows.x, gamma=gamma))
        return center_memberships(
            space, codes, weight, mu=self.mu, delta=DELTA, feature_space=not linear
        ).values


def _factor(kernel: FloatArray) -> FloatArray:
    """A factor F of the kernel matrix, K = FF'."""
    return np.linalg.cholesky(kernel + _JITTER * np.eye(kernel.shape[0]))
