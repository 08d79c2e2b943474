"""The share of one partition in the dual problem: the coordinates of its own rows.

With K partitions, each improves its own coordinates as if all others did the same (CoCoA+; Ma,
Smith, Jaggi, Jordan, Richtarik & Takac, 2015):

    max  e'd - v.(Z'd) - K/2 |Z'd|^2     over  0 <= a + d <= C             (docs/scaling.md)

This is a coordinate sweep on sqrt(K) Z and v / sqrt(K). The sum of all updates never decreases the
dual objective. The partitions return K vectors as long as a row, and no rows.

Close to the optimum, few coordinates are between their bounds. The partitions then send these rows
to the master (`SelectedRows`), which solves for all of them together. This finishes in a few
rounds, while sweeps alone would converge only linearly.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frtsvm_core.memberships import memberships_at, own_and_other_distances
from frtsvm_core.solvers._dual_cd_sweep import sweep_rows
from frtsvm_core.twin.decision import REST
from frtsvm_core.twin.parallel import one_blas_thread
from frtsvm_core.twin.problem import PlaneSpec
from frtsvm_core.twin.whitening import Whitening

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


@dataclass(frozen=True)
class Problem:
    """Data that all partitions need and that stay the same in all rounds."""

    classes: NDArray[np.generic]
    specs: tuple[PlaneSpec, ...]
    whitenings: tuple[Whitening, ...]  # of each plane
    centers: FloatArray
    squared_radii: FloatArray
    membership: str
    mu: float
    delta: float
    n_partitions: int

    def memberships(self, rows: FloatArray, codes: IntArray) -> FloatArray:
        """Compute the memberships of the rows; each plane multiplies them by its slack cost."""
        if self.membership == "none":
            return np.ones(rows.shape[0])
        own, other = own_and_other_distances(rows, codes, self.centers)
        radius = self.squared_radii[codes]
        return memberships_at(
            own, other, radius, mu=self.mu, delta=self.delta, feature_space=False
        ).values


@dataclass(frozen=True)
class SelectedRows:
    """Rows that a partition sends to the master, with the index of their coordinates."""

    index: IntArray
    z: FloatArray
    bound: FloatArray
    alpha: FloatArray


@dataclass(frozen=True)
class Instruction:
    """Instruction of the master to one partition, for one plane and one round."""

    v: FloatArray
    sweeps: int  # 0: send selected rows instead
    n_selected: int  # largest number of rows to send
    seed: int
    # New values from the master for coordinates that the partition had selected.
    index: IntArray | None = None
    alpha: FloatArray | None = None


@dataclass(frozen=True)
class Report:
    """Report of one partition for one plane, computed at the given `v` before the new update."""

    alpha_sum: float
    hinge: float  # sum of C max(0, 1 - z.v)
    v_part: FloatArray  # Z'a
    violation: float  # largest projected gradient
    update: FloatArray  # Z'd of the update of this round; 0 if there was no sweep
    selected: SelectedRows | None


#: Alpha of each plane, including the update that has been reported to the master.
State = list[FloatArray]


def step(
    rows: FloatArray,
    codes: IntArray,
    problem: Problem,
    state: State | None,
    instructions: list[Instruction],
) -> tuple[State, list[Report]]:
    """Run one round of one partition for all planes, so that its rows are read only once."""
    memberships = problem.memberships(rows, codes)
    new_state: State = []
    reports = []
    with one_blas_thread():
        for number, instruction in enumerate(instructions):
            spec = problem.specs[number]
            chosen = codes != spec.own if spec.other == REST else codes == spec.other
            index = np.flatnonzero(chosen)
            block = _Block(
                problem.whitenings[number].apply(rows, index), spec.slack_cost * memberships[index]
            )
            if state is None:
                alpha = np.zeros(index.size)
            else:
                alpha = _with_master_values(state[number], instruction)
            alpha, report = block.run(alpha, instruction, problem.n_partitions)
            new_state.append(alpha)
            reports.append(report)
    return new_state, reports


def _with_master_values(alpha: FloatArray, instruction: Instruction) -> FloatArray:
    """Return alpha with the master's values for the coordinates that the partition had selected."""
    if instruction.index is None or instruction.alpha is None:
        return alpha
    alpha = alpha.copy()
    alpha[instruction.index] = instruction.alpha
    return alpha


@dataclass(frozen=True)
class _Block:
    """Whitened opposing rows of one partition for one plane, with their box."""

    z: FloatArray
    bound: FloatArray

    def run(
        self, alpha: FloatArray, instruction: Instruction, n_partitions: int
    ) -> tuple[FloatArray, Report]:
        """Return the new alpha, and the report on the old one."""
        gradient = self.z @ instruction.v - 1.0
        projected = np.where(
            alpha <= 0.0,
            np.minimum(gradient, 0.0),
            np.where(alpha >= self.bound, np.maximum(gradient, 0.0), gradient),
        )
        alpha_sum, v_part = float(alpha.sum()), self.z.T @ alpha
        hinge = float(self.bound @ np.maximum(-gradient, 0.0))
        violation = float(np.abs(projected).max(initial=0.0))
        after, update, selected = alpha, np.zeros(self.z.shape[1]), None
        if instruction.sweeps:
            after, update = self._sweep(alpha, instruction, n_partitions)
        else:
            selected = self._select(alpha, gradient, projected, instruction.n_selected)
        return after, Report(alpha_sum, hinge, v_part, violation, update, selected)

    def _sweep(
        self, alpha: FloatArray, instruction: Instruction, n_partitions: int
    ) -> tuple[FloatArray, FloatArray]:
        """Return the new alpha, and Z' times its change.

        Z is scaled in place, because it is the largest array of a worker and is not used
        afterwards.
        """
        z = self.z
        scale = np.sqrt(float(n_partitions))
        z *= scale
        after, _ = sweep_block(
            z,
            self.bound,
            alpha,
            instruction.v / scale,
            n_sweeps=instruction.sweeps,
            tol=0.0,
            rng=np.random.default_rng(instruction.seed),
        )
        return after, z.T @ (after - alpha) / scale

    def _select(
        self, alpha: FloatArray, gradient: FloatArray, projected: FloatArray, n_selected: int
    ) -> SelectedRows:
        """Select the rows to send to the master.

        Coordinates between their bounds come first, then those at a bound that violate optimality,
        then those closest to the margin.
        """
        free = (alpha > 0.0) & (alpha < self.bound)
        distance = np.abs(gradient)
        rank = np.where(free, 0.0, np.where(projected != 0.0, 1.0, 2.0))
        priority = np.where(rank < 2.0, -distance, distance)
        index = np.lexsort((priority, rank))[:n_selected]
        return SelectedRows(index, self.z[index], self.bound[index], alpha[index])


def sweep_block(
    z: FloatArray,
    bound: FloatArray,
    alpha: FloatArray,
    v: FloatArray,
    *,
    n_sweeps: int,
    tol: float,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Sweep over a part of the coordinates, where v is the sum over all; return new alpha and v."""
    alpha, v, z = alpha.copy(), v.copy(), np.ascontiguousarray(z)
    curvature = np.einsum("ij,ij->i", z, z)
    active = np.arange(alpha.size)
    for _ in range(n_sweeps):
        rng.shuffle(active)
        largest, smallest, _ = sweep_rows(
            z, curvature, bound, alpha, v, active, active.size, np.inf, -np.inf
        )
        if largest - smallest <= tol:
            break
    return alpha, v
