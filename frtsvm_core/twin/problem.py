"""All planes of a classification problem, with what they share computed once.

One-vs-one: for each pair of classes two planes, each close to one and away from the other.
One-vs-rest: for each class one plane, close to it and away from all other rows.
With two classes both are the paper's two planes. The scatter of a class is computed once for all its
planes, its whitening once for each regularization it meets.
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
from frtsvm_core.twin.parallel import side_by_side
from frtsvm_core.twin.plane import Plane, solve_plane
from frtsvm_core.twin.whitening import ClassScatter, Whitening, class_scatter, is_thin, whiten

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


@dataclass(frozen=True)
class PlaneSpec:
    """Which plane to solve: classes by their codes, and the two costs that apply to it."""

    own: int
    other: int
    regularization: float  # c1 or c2
    slack_cost: float  # c3 or c4
    sign: float  # -1 for a plane + of the paper, +1 for a plane -


@dataclass(frozen=True)
class Costs:
    """The paper's c1 .. c4: c1, c3 for the plane of the later class of a pair, c2, c4 for the other."""

    c1: float
    c2: float
    c3: float
    c4: float


@dataclass(frozen=True)
class Progress:
    """What a callback of `fit` receives, once per sweep."""

    phase: str
    plane: int
    n_planes: int
    sweep: int
    violation: float
    n_active: int
    relative_gap: float | None = None  # where it was taken


ProgressCallback = Callable[[Progress], None]


def plane_specs(n_classes: int, multi_class: str, costs: Costs) -> list[PlaneSpec]:
    """The planes in the order in which the estimators keep them; for two classes the plane of class
    k comes k-th."""
    if n_classes > 2 and multi_class == "ovr":
        if costs.c1 != costs.c2 or costs.c3 != costs.c4:
            raise ValueError(
                "one-vs-rest with more than two classes solves one plane per class, with c1 and c3: "
                "leave c2 and c4 at None"
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
    """Rows in feature coordinates with classes, weights and memberships."""

    features: FeatureMap
    codes: IntArray
    weight: FloatArray
    memberships: FloatArray
    bias_ridge: float = 0.0

    def solve(
        self,
        specs: Sequence[PlaneSpec],
        options: SolverOptions,
        rng: np.random.Generator,
        callback: ProgressCallback | None = None,
    ) -> list[Plane]:
        """The planes in the order of their specs."""
        rows, root, rotation = self._coordinates(len({spec.own for spec in specs}))
        wanted = {(spec.own, spec.regularization) for spec in specs}
        whitenings = self._whitenings(rows, root, wanted)
        report = _Reporter(callback, len(specs))
        # A stream of its own for each plane: the result does not depend on who comes first.
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

        return side_by_side(solve_one, range(len(specs)), n_cells=rows.size)

    def _coordinates(
        self, n_classes: int
    ) -> tuple[FloatArray, FloatArray | None, FloatArray | None]:
        """(rows, root, rotation): F with its root R; or FR, in which the root is I and directions t
        turn into g = Rt at the end. The second costs one product with all rows (2 l m^2) and spares
        the products R'SR of every class (4 m^3 each)."""
        rows, root = self.features.rows, self.features.root
        n_rows, width = rows.shape
        if root is None or n_rows > 2 * n_classes * width:
            return rows, root, None
        return rows @ root, None, root

    def _opposing(self, spec: PlaneSpec) -> IntArray:
        chosen = self.codes != spec.own if spec.other == REST else self.codes == spec.other
        return np.flatnonzero(chosen)

    def _whitenings(
        self, rows: FloatArray, root: FloatArray | None, wanted: set[tuple[int, float]]
    ) -> dict[tuple[int, float], Whitening]:
        n_cells = rows.size

        def scatter(own: int) -> ClassScatter:
            index = np.flatnonzero(self.codes == own)
            thin = root is None and is_thin(index.size, rows.shape[1])
            return class_scatter(rows, index, self.weight, self.bias_ridge, matrix=not thin)

        classes = sorted({own for own, _ in wanted})
        scatters = dict(zip(classes, side_by_side(scatter, classes, n_cells=n_cells), strict=True))
        return {(own, c): whiten(rows, scatters[own], root, c) for own, c in sorted(wanted)}


class _Reporter:
    """Passes sweeps on to the caller's callback, one at a time, whatever thread they come from; once
    the callback has raised, every other plane is ended too."""

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
