"""The part of the dual that belongs to one partition: its own coordinates, seen by nobody else.

With K partitions, CoCoA+ lets each improve its own coordinates as if every other did the same:

    max  e'd - v.(Z'd) - K/2 |Z'd|^2     over  0 <= a + d <= C             (docs/scaling.md)

which is one of our own coordinate sweeps on sqrt(K) Z and v / sqrt(K). The sum of all updates never
lowers the dual objective. What comes back is K vectors of the length of a row, never rows.

Close to the optimum few coordinates are between their bounds. The partitions then send those rows
to the master, which solves for them together (`Wanted`); that ends in a few rounds what sweeps
would approach for ever.
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
    """What every partition has to know, once for all rounds."""

    classes: NDArray[np.generic]
    specs: tuple[PlaneSpec, ...]
    whitenings: tuple[Whitening, ...]  # of each plane
    centers: FloatArray
    squared_radii: FloatArray
    membership: str
    mu: float
    delta: float
    n_partitions: int

    def bounds(self, rows: FloatArray, codes: IntArray) -> FloatArray:
        """Memberships of the rows; a plane multiplies them by its slack cost."""
        if self.membership == "none":
            return np.ones(rows.shape[0])
        own, other = own_and_other_distances(rows, codes, self.centers)
        radius = self.squared_radii[codes]
        return memberships_at(
            own, other, radius, mu=self.mu, delta=self.delta, feature_space=False
        ).values


@dataclass(frozen=True)
class Wanted:
    """Rows that a partition gives to the master, and which of its coordinates they are."""

    index: IntArray
    z: FloatArray
    bound: FloatArray
    alpha: FloatArray


@dataclass(frozen=True)
class Order:
    """What a partition is asked to do for one plane."""

    v: FloatArray
    sweeps: int  # 0: give rows instead
    n_wanted: int
    seed: int
    # What the master has found for coordinates that it was given.
    index: IntArray | None = None
    alpha: FloatArray | None = None


@dataclass(frozen=True)
class Report:
    """What a partition answers for one plane: at `v` as it was given, before its new update."""

    alpha_sum: float
    hinge: float  # sum of C max(0, 1 - z.v)
    v_part: FloatArray  # Z'a
    violation: float
    update: FloatArray  # Z'd of the update, 0 if there is none
    wanted: Wanted | None


#: Of each plane: alpha, with the update that the master is about to take in.
State = list[FloatArray]


def step(
    rows: FloatArray, codes: IntArray, problem: Problem, state: State | None, orders: list[Order]
) -> tuple[State, list[Report]]:
    """One round of one partition, for all planes: so that its rows are read once for all of them."""
    trust = problem.bounds(rows, codes)
    new_state: State = []
    reports = []
    with one_blas_thread():
        for number, order in enumerate(orders):
            spec = problem.specs[number]
            chosen = codes != spec.own if spec.other == REST else codes == spec.other
            index = np.flatnonzero(chosen)
            block = _Block(
                problem.whitenings[number].apply(rows, index), spec.slack_cost * trust[index]
            )
            alpha = np.zeros(index.size) if state is None else _settled(state[number], order)
            alpha, report = block.answer(alpha, order, problem.n_partitions)
            new_state.append(alpha)
            reports.append(report)
    return new_state, reports


def _settled(alpha: FloatArray, order: Order) -> FloatArray:
    """alpha with what the master has found for the coordinates it was given."""
    if order.index is None or order.alpha is None:
        return alpha
    alpha = alpha.copy()
    alpha[order.index] = order.alpha
    return alpha


@dataclass(frozen=True)
class _Block:
    z: FloatArray
    bound: FloatArray

    def answer(
        self, alpha: FloatArray, order: Order, n_partitions: int
    ) -> tuple[FloatArray, Report]:
        """The new alpha, and what is to be said of the old one."""
        gradient = self.z @ order.v - 1.0
        projected = np.where(
            alpha <= 0.0,
            np.minimum(gradient, 0.0),
            np.where(alpha >= self.bound, np.maximum(gradient, 0.0), gradient),
        )
        alpha_sum, v_part = float(alpha.sum()), self.z.T @ alpha
        hinge = float(self.bound @ np.maximum(-gradient, 0.0))
        violation = float(np.abs(projected).max(initial=0.0))
        after, update, wanted = alpha, np.zeros(self.z.shape[1]), None
        if order.sweeps:
            after, update = self._swept(alpha, order, n_partitions)
        else:
            wanted = self._wanted(alpha, gradient, projected, order.n_wanted)
        return after, Report(alpha_sum, hinge, v_part, violation, update, wanted)

    def _swept(
        self, alpha: FloatArray, order: Order, n_partitions: int
    ) -> tuple[FloatArray, FloatArray]:
        """The new alpha, and Z' times its difference. Z is scaled in place: it is the largest array
        that a worker has, and not needed any more."""
        z = self.z
        scale = np.sqrt(float(n_partitions))
        z *= scale
        after, _ = swept(
            z,
            self.bound,
            alpha,
            order.v / scale,
            n_sweeps=order.sweeps,
            tol=0.0,
            rng=np.random.default_rng(order.seed),
        )
        return after, z.T @ (after - alpha) / scale

    def _wanted(
        self, alpha: FloatArray, gradient: FloatArray, projected: FloatArray, n_wanted: int
    ) -> Wanted:
        """Coordinates between their bounds, then those that want to leave one, then the nearest."""
        free = (alpha > 0.0) & (alpha < self.bound)
        distance = np.abs(gradient)
        rank = np.where(free, 0.0, np.where(projected != 0.0, 1.0, 2.0))
        eager = np.where(rank < 2.0, -distance, distance)
        index = np.lexsort((eager, rank))[:n_wanted]
        return Wanted(index, self.z[index], self.bound[index], alpha[index])


def swept(
    z: FloatArray,
    bound: FloatArray,
    alpha: FloatArray,
    v: FloatArray,
    *,
    n_sweeps: int,
    tol: float,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Sweeps over a part of the coordinates, with v the sum over all; new alpha and v."""
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
