"""Search space of search="auto", in units derived from the data.

A point holds exponents p of 2. `Units` converts it to parameters for a given number of rows n:

    gamma = 2^p / median |x - x'|^2          the median heuristic at p = 0
    c1    = 2^p u(n)
    c3    = 2^p

The unit u(n) is in proportion to n for penalty="function", to n^2 for the paper's penalty, and to n
times the variance of the features for the linear kernel.

The conversion makes costs that were found on a sample valid for all rows. If every row is repeated
k times, the sums over rows in the problem of a plane grow k times. The penalty c1/2 |g|^2 (linear
kernel or penalty="function") keeps its share if c1 grows k times, because the plane stays the same.
The paper's penalty c1/2 |w|^2 keeps its share if c1 grows k^2 times: each of the k equal rows has
1/k of the coefficient, so |w|^2 is k times smaller.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

FloatArray = NDArray[np.float64]

# Number of randomly chosen rows from which the median distance is computed.
_MEDIAN_ROWS = 400
# The paper searches c1 in 2^-8 .. 2^8 on data sets of about this many rows ...
_ROWS_OF_UNIT = 512
# ... and with features scaled to [0, 1], whose variance is about this.
_VARIANCE_OF_UNIT = 2.0**-4


@dataclass(frozen=True)
class Point:
    """One candidate: powers are exponents of 2; None keeps the parameter of the estimator."""

    kernel: Any
    gamma_power: float | None
    c1_power: float | None
    c3_power: float | None
    membership: str
    mu: float
    rank: int | str | None

    @property
    def features(self) -> tuple[Any, float | None]:
        """The parameters that determine the kernel matrix."""
        return self.kernel, self.gamma_power

    @property
    def costs(self) -> tuple[float | None, float | None]:
        return self.c1_power, self.c3_power


@dataclass(frozen=True)
class Units:
    """Scales of gamma and c1 that are derived from the data."""

    gamma: float
    variance: float  # mean over the features
    penalty: str  # of kernels other than linear

    @classmethod
    def of(cls, x: FloatArray, penalty: str, rng: np.random.Generator) -> "Units":
        """Derive the units from preprocessed rows."""
        chosen = x[rng.permutation(x.shape[0])[:_MEDIAN_ROWS]]
        squared = pdist(chosen, "sqeuclidean")
        middle = float(np.median(squared)) if squared.size else 0.0
        if middle == 0.0:  # most rows are equal
            middle = float(squared.mean()) if squared.size else 0.0
        variance = float(x.var(axis=0).mean())
        return cls(
            1.0 / middle if middle > 0.0 else 1.0, variance if variance > 0.0 else 1.0, penalty
        )

    def params(self, point: Point, n_rows: int) -> dict[str, Any]:
        """Return the estimator's parameters for a point and a fit on n_rows rows."""
        params: dict[str, Any] = {"kernel": point.kernel}
        if point.c1_power is not None:
            params["c1"] = 2.0**point.c1_power * self._c1_unit(point.kernel, n_rows)
        if point.c3_power is not None:
            params["c3"] = 2.0**point.c3_power
        params |= {"membership": point.membership, "mu": point.mu}
        if point.gamma_power is not None:
            params["gamma"] = 2.0**point.gamma_power * self.gamma
        if point.kernel != "linear":
            params |= {"rank": point.rank, "penalty": self.penalty}
        return params

    def _c1_unit(self, kernel: Any, n_rows: int) -> float:
        share = n_rows / _ROWS_OF_UNIT
        if isinstance(kernel, str) and kernel == "linear":
            return share * self.variance / _VARIANCE_OF_UNIT
        return share if self.penalty == "function" else share**2


def point_grid(
    features: Iterable[tuple[Any, float | None]],
    c1_powers: Iterable[float | None],
    c3_powers: Iterable[float | None],
    memberships: Iterable[tuple[str, float]],
    rank: int | str | None,
) -> list[Point]:
    """Return all combinations; `memberships` are pairs of membership and mu."""
    return [
        Point(kernel, gamma, c1, c3, membership, mu, rank)
        for (kernel, gamma), c1, c3, (membership, mu) in product(
            features, c1_powers, c3_powers, memberships
        )
    ]
