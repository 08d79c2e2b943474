"""The space that "auto" searches, in units that the data give.

A point names powers of two; `Units` turns it into parameters for a given number of rows:

    gamma = 2^p / median |x - x'|^2          the median heuristic at p = 0
    c1    = 2^p u(n),  c3 = 2^p              with u growing like the sums that c1 is weighed against

When every row is there k times, the sums over rows in the problem of a plane grow k times. The penalty
c1/2 |g|^2, of the linear kernel or of penalty="function", keeps its part in it if c1 grows k times, as
the plane stays the same. The paper's c1/2 |w|^2 does if c1 grows k^2 times: each of the k equal rows
carries 1/k of its coefficient, and |w|^2 is k times smaller. So costs found on a sample serve for all
rows.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

FloatArray = NDArray[np.float64]

# Rows among which the median distance is taken.
_MEDIAN_ROWS = 400
# The paper searches c1 in 2^-8 .. 2^8 for data sets of about this many rows ...
_ROWS_OF_UNIT = 512
# ... with features scaled to [0, 1], whose variance is about this.
_VARIANCE_OF_UNIT = 2.0**-4


@dataclass(frozen=True)
class Point:
    """One candidate; a power of None leaves the parameter as the estimator has it."""

    kernel: Any
    gamma_power: float | None
    c1_power: float | None
    c3_power: float | None
    membership: str
    mu: float
    rank: int | str | None

    @property
    def features(self) -> tuple[Any, float | None]:
        """What decides on the kernel matrix."""
        return self.kernel, self.gamma_power

    @property
    def costs(self) -> tuple[float | None, float | None]:
        return self.c1_power, self.c3_power


@dataclass(frozen=True)
class Units:
    gamma: float
    variance: float  # mean over the features
    penalty: str  # of kernels other than linear

    @classmethod
    def of(cls, x: FloatArray, penalty: str, rng: np.random.Generator) -> "Units":
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
        """The estimator's parameters for a point, when it is fitted on n_rows rows."""
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


def lattice(
    features: Iterable[tuple[Any, float | None]],
    c1_powers: Iterable[float | None],
    c3_powers: Iterable[float | None],
    trust: Iterable[tuple[str, float]],
    rank: int | str | None,
) -> list[Point]:
    """All combinations; `trust` are memberships with their mu."""
    return [
        Point(kernel, gamma, c1, c3, membership, mu, rank)
        for (kernel, gamma), c1, c3, (membership, mu) in product(
            features, c1_powers, c3_powers, trust
        )
    ]
