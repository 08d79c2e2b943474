"""Solve all planes of a classification problem, computing shared quantities once.

One-vs-one: two planes for each pair of classes, each close to one class and away from the other.
One-vs-rest: one plane for each class, close to it and away from all other rows. With two classes
both are the paper's two planes. The scatter of a class is computed once for all its planes, its
whitening once for each regularization.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from frtsvm_core.kernels.feature_map import FeatureMap
from frtsvm_core.solvers.box_qp import SolverOptions
from frtsvm_core.solvers.dual_cd import Sweep
from frtsvm_core.twin.decision import REST
from frtsvm_core.twin.parallel import parallel_map
from frtsvm_core.twin.plane import Plane, solve_plane
from frtsvm_core.twin.whitening import ClassScatter, Whitening, class_scatter, is_thin, whiten

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


@dataclass(frozen=True)
class PlaneSpec:
    """One plane to solve: its classes (as class numbers) and its costs."""

    own: int
    other: int  # REST for all other classes
    regularization: float  # c1 or c2
    slack_cost: float  # c3 or c4
    sign: float  # -1 for a plane + of the paper, +1 for a plane -


@dataclass(frozen=True)
class Costs:
    """The paper's c1 to c4.

    c1 and c3 apply to the plane of the later class of a pair, c2 and c4 to that of the earlier
    class.
    """

    c1: float
    c2: float
    c3: float
    c4: float


@dataclass(frozen=True)
class Progress:
    """Progress report to the callback of `fit`.

    There is one report at the start of the phases "kernel" and "memberships", and one after every
    sweep of the phase "solve".

    Attributes
    ----------
    phase : {"kernel", "memberships", "solve"}
        Current phase of the fit. All other values except `n_planes` are meaningful in "solve" only.
    plane, n_planes : int
        Number of the plane, counted from 0, and the number of planes.
    sweep : int
        Number of the sweep, counted from 1.
    violation : float
        Difference between the largest and the smallest projected gradient in the sweep, which is
        compared with `tol`.
    n_active : int
        Number of dual variables that shrinking has left active after the sweep.
    relative_gap : float or None
        Relative duality gap after the sweep; None if it was not computed.
    """

    phase: str
    plane: int
    n_planes: int
    sweep: int
    violation: float
    n_active: int
    relative_gap: float | None = None


ProgressCallback = Callable[[Progress], None]


def plane_specs(n_classes: int, multi_class: str, costs: Costs) -> list[PlaneSpec]:
    """List the planes to solve, in the order in which the estimators store them.

    For two classes, plane k is that of class k.
    """
    if n_classes > 2 and multi_class == "ovr":
        if costs.c1 != costs.c2 or costs.c3 != costs.c4:
            raise ValueError(
                "multi_class='ovr' with more than two classes fits one plane per class and uses c1 "
                f"and c3 only; got c2={costs.c2:g} and c4={costs.c4:g}. Leave c2 and c4 at None."
            )
        return [PlaneSpec(k, REST, costs.c1, costs.c3, -1.0) for k in range(n_classes)]
    specs = []
    for i in range(n_classes):
        for j in range(i + 1, n_classes):
            specs.append(PlaneSpec(i, j, costs.c2, costs.c4, +1.0))
            specs.append(PlaneSpec(j, i, costs.c1, costs.c3, -1.0))
    return specs


@dataclass(frozen=True)
class TwinProblem:
    """Rows in feature coordinates, with class numbers, weights and memberships."""

    features: FeatureMap
    codes: IntArray
    weight: FloatArray
    memberships: FloatArray
    bias_ridge: float = 0.0  # ridge on the bias, for TSVM (docs/maths.md, section 7)

    def solve(
        self,
        specs: Sequence[PlaneSpec],
        options: SolverOptions,
        rng: np.random.Generator,
        callback: ProgressCallback | None = None,
    ) -> list[Plane]:
        """Solve the planes; they are returned in the order of `specs`."""
        rows, root, rotation = self._coordinates(len({spec.own for spec in specs}))
        required = {(spec.own, spec.regularization) for spec in specs}
        whitenings = self._whitenings(rows, root, required)
        report = _Reporter(callback, len(specs))
        # One random stream per plane, so that results do not depend on the order of the threads.
        streams = rng.spawn(len(specs))

        def solve_one(number: int) -> Plane:
            spec = specs[number]
            opposing = self._opposing(spec)
            plane = solve_plane(
                rows,
                whitenings[spec.own, spec.regularization],
                opposing,
                spec.slack_cost * self.memberships[opposing] * self.weight[opposing],
                sign=spec.sign,
                options=options,
                rng=streams[number],
                callback=report.for_plane(number),
            )
            return plane if rotation is None else replace(plane, g=rotation @ plane.g)

        return parallel_map(solve_one, range(len(specs)), n_cells=rows.size)

    def _coordinates(
        self, n_classes: int
    ) -> tuple[FloatArray, FloatArray | None, FloatArray | None]:
        """Choose the coordinates in which to solve: (rows, root, rotation).

        Either F with its root R; or FR, whose root is I and whose directions t are turned into g =
        Rt at the end. The second costs one product with all rows (2 l m^2 operations) and saves the
        products R'SR of every class (4 m^3 each).
        """
        rows, root = self.features.rows, self.features.root
        n_rows, width = rows.shape
        if root is None or n_rows > 2 * n_classes * width:
            return rows, root, None
        return rows @ root, None, root

    def _opposing(self, spec: PlaneSpec) -> IntArray:
        chosen = self.codes != spec.own if spec.other == REST else self.codes == spec.other
        return np.flatnonzero(chosen)

    def _whitenings(
        self, rows: FloatArray, root: FloatArray | None, required: set[tuple[int, float]]
    ) -> dict[tuple[int, float], Whitening]:
        n_cells = rows.size

        def scatter(own: int) -> ClassScatter:
            index = np.flatnonzero(self.codes == own)
            thin = root is None and is_thin(index.size, rows.shape[1])
            return class_scatter(rows, index, self.weight, self.bias_ridge, matrix=not thin)

        classes = sorted({own for own, _ in required})
        scatters = dict(zip(classes, parallel_map(scatter, classes, n_cells=n_cells), strict=True))
        return {(own, c): whiten(rows, scatters[own], root, c) for own, c in sorted(required)}


class _Reporter:
    """Call the caller's callback from several threads, one call at a time.

    Once the callback has raised an exception, the next report of every other plane raises it too,
    so that all planes stop.
    """

    def __init__(self, callback: ProgressCallback | None, n_planes: int) -> None:
        self._callback, self._n_planes = callback, n_planes
        self._lock = Lock()
        self._failed: BaseException | None = None

    def for_plane(self, number: int) -> Callable[[Sweep], None] | None:
        callback = self._callback
        if callback is None:
            return None

        def report(sweep: Sweep) -> None:
            with self._lock:
                if self._failed is not None:
                    raise self._failed
                try:
                    callback(
                        Progress(
                            "solve",
                            number,
                            self._n_planes,
                            sweep.number,
                            sweep.violation,
                            sweep.n_active,
                            sweep.relative_gap,
                        )
                    )
                except BaseException as failure:
                    self._failed = failure
                    raise

        return report
