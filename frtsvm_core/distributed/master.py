"""Master of one plane: adds the partitions' updates, computes the gap, solves for selected rows.

The masters of all planes run in the process that calls `fit_distributed`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from frtsvm_core.distributed.blocks import Instruction, Report, SelectedRows, sweep_block
from frtsvm_core.twin.certificate import Certificate

FloatArray = NDArray[np.float64]

#: Largest number of rows that the master receives from all partitions together (26 MB with 50
#: columns). Of millions of rows, tens of thousands are so close to the margin that an inaccurate
#: plane does not show on which side they are.
MAX_SELECTED_ROWS = 65536
#: Smallest number of rows that each partition may send.
MIN_PARTITION_ROWS = 64
#: Sweeps of a partition in one round.
SWEEPS = 2
#: The master repeats its own solutions while each leaves at most this share of the gap.
PROGRESS = 0.5
#: Largest number of sweeps of the master over the selected rows, and the violation at which they
#: end.
MASTER_SWEEPS = 2000
MASTER_TOL = 1e-13


class PlaneMaster:
    """Master of one plane.

    It alternates between rounds in which all partitions sweep over their own coordinates and rounds
    in which it solves for selected rows itself. The latter are repeated as long as each of them at
    least halves the relative gap. Neither kind ever decreases the dual objective.
    """

    def __init__(self, width: int, n_partitions: int, gap: float, rng: np.random.Generator) -> None:
        self.v = np.zeros(width)
        self.certificate = Certificate(np.inf, 0.0, np.inf, 1.0, np.inf, 0, converged=False)
        self._gap = gap
        self._rng = rng
        self._sweeping = True
        self._gap_before = np.inf  # after the last solution of the master
        self._sweeps = 0
        self._n_selected = max(MIN_PARTITION_ROWS, MAX_SELECTED_ROWS // n_partitions)
        self._selected: list[SelectedRows | None] = [None] * n_partitions
        self._solved_alpha: list[FloatArray] = [np.empty(0)] * n_partitions

    @property
    def converged(self) -> bool:
        """Whether the relative duality gap is small enough."""
        return self.certificate.converged

    def instruction(self, partition: int) -> Instruction:
        """Return the instruction for a partition in the next round."""
        sweeps = SWEEPS if self._sweeping and not self.converged else 0
        seed = int(self._rng.integers(2**31))
        selected = self._selected[partition]
        if selected is None:
            return Instruction(self.v, sweeps, self._n_selected, seed)
        alpha = self._solved_alpha[partition]
        return Instruction(self.v, sweeps, self._n_selected, seed, selected.index, alpha)

    def receive(self, reports: Sequence[Report]) -> None:
        """Certify the state before the round, and apply the updates of the partitions."""
        exact = np.sum([report.v_part for report in reports], axis=0)
        self._certify(reports, exact)
        self._selected = [None] * len(reports)
        if self.converged:
            return
        if self._sweeping:
            self._sweeps += SWEEPS
            self.v = exact + np.sum([report.update for report in reports], axis=0)
            self._sweeping, self._gap_before = False, np.inf
        else:
            self._solve_selected(reports, exact)
            relative = self.certificate.relative_gap
            self._sweeping = relative > PROGRESS * self._gap_before
            self._gap_before = relative

    def _certify(self, reports: Sequence[Report], exact: FloatArray) -> None:
        """Compute the certificate as `twin.certificate` does, from the sums of the partitions."""
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

    def _solve_selected(self, reports: Sequence[Report], exact: FloatArray) -> None:
        received = [report.selected for report in reports]
        parts = [part for part in received if part is not None]
        alpha, self.v = sweep_block(
            np.concatenate([part.z for part in parts]),
            np.concatenate([part.bound for part in parts]),
            np.concatenate([part.alpha for part in parts]),
            exact,
            n_sweeps=MASTER_SWEEPS,
            tol=MASTER_TOL,
            rng=self._rng,
        )
        self._selected = list(received)
        ends = np.cumsum([part.index.size for part in parts])
        self._solved_alpha = np.split(alpha, ends[:-1])
