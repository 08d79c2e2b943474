"""The master of one plane: adds the updates, knows the gap, and solves for the rows it is given."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from frtsvm_core.distributed.blocks import Order, Report, Wanted, swept
from frtsvm_core.twin.certificate import Certificate

FloatArray = NDArray[np.float64]

#: Rows that the master takes from all partitions together: 26 MB of them with 50 columns. Millions of
#: rows have tens of thousands so near to the margin that a rough plane cannot tell their side.
MOST_WANTED = 65536
LEAST_WANTED = 64
#: Sweeps of a partition between two sums.
SWEEPS = 2
#: The master goes on with the rows it asks for while each time leaves less than this of the gap.
PROGRESS = 0.5
#: Sweeps of the master over the rows it was given, and the violation at which they end.
MASTER_SWEEPS = 2000
MASTER_TOL = 1e-13


class PlaneMaster:
    """Sweeps of the partitions, then solutions of the master as long as they help, then sweeps again;
    neither ever lowers the dual."""

    def __init__(self, width: int, n_partitions: int, gap: float, rng: np.random.Generator) -> None:
        self.v = np.zeros(width)
        self.certificate = Certificate(np.inf, 0.0, np.inf, 1.0, np.inf, 0, converged=False)
        self._gap = gap
        self._rng = rng
        self._sweeping = True
        self._gap_before = np.inf  # when the master solved last
        self._sweeps = 0
        self._n_wanted = max(LEAST_WANTED, MOST_WANTED // n_partitions)
        self._given: list[Wanted | None] = [None] * n_partitions
        self._found: list[FloatArray] = [np.empty(0)] * n_partitions

    @property
    def converged(self) -> bool:
        """Whether the gap is as small as it has to be."""
        return self.certificate.converged

    def order(self, partition: int) -> Order:
        """What a partition shall do next."""
        sweeps = SWEEPS if self._sweeping and not self.converged else 0
        seed = int(self._rng.integers(2**31))
        given = self._given[partition]
        if given is None:
            return Order(self.v, sweeps, self._n_wanted, seed)
        return Order(self.v, sweeps, self._n_wanted, seed, given.index, self._found[partition])

    def take(self, reports: Sequence[Report]) -> None:
        """The certificate of what the partitions had, and their updates."""
        exact = np.sum([report.v_part for report in reports], axis=0)
        self._certify(reports, exact)
        self._given = [None] * len(reports)
        if self.converged:
            return
        if self._sweeping:
            self._sweeps += SWEEPS
            self.v = exact + np.sum([report.update for report in reports], axis=0)
            self._sweeping, self._gap_before = False, np.inf
        else:
            self._solve_given(reports, exact)
            relative = self.certificate.relative_gap
            self._sweeping = relative > PROGRESS * self._gap_before
            self._gap_before = relative

    def _certify(self, reports: Sequence[Report], exact: FloatArray) -> None:
        """Primal and dual as in `twin.certificate`, with the sums over rows made elsewhere."""
        half_square = 0.5 * float(exact @ exact)
        primal = half_square + sum(report.hinge for report in reports)
        dual = sum(report.alpha_sum for report in reports) - half_square
        gap = max(primal - dual, 0.0)
        relative = gap / primal if primal > 0.0 else 0.0
        violation = max(report.violation for report in reports)
        self.certificate = Certificate(
            primal, dual, gap, relative, violation, self._sweeps, relative <= self._gap
        )
        if self.certificate.converged:
            self.v = exact

    def _solve_given(self, reports: Sequence[Report], exact: FloatArray) -> None:
        given = [report.wanted for report in reports]
        wanted = [one for one in given if one is not None]
        alpha, self.v = swept(
            np.concatenate([one.z for one in wanted]),
            np.concatenate([one.bound for one in wanted]),
            np.concatenate([one.alpha for one in wanted]),
            exact,
            n_sweeps=MASTER_SWEEPS,
            tol=MASTER_TOL,
            rng=self._rng,
        )
        self._given = list(given)
        ends = np.cumsum([one.index.size for one in wanted])
        self._found = np.split(alpha, ends[:-1])
