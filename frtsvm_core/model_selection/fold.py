"""One training fold with one kernel: everything that its candidates share, computed once.

For each class the rows are projected on the eigenvectors of the class scatter (twin/spectrum.py); after
that a regularization is a product with a diagonal, a slack cost one box of a path
(solvers/path.py), and the distance of the validation rows to a plane one column of a product.
"""

from collections import defaultdict
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from frtsvm_core.estimators._preparation import (
    MembershipSettings,
    effective_gamma,
    feature_map,
    memberships,
    weighted_rows,
)
from frtsvm_core.kernels.feature_map import FeatureMap
from frtsvm_core.kernels.functions import Kernel, in_blocks
from frtsvm_core.memberships import Memberships, most_reference_rows
from frtsvm_core.model_selection.candidates import Block, Candidate, Group
from frtsvm_core.solvers.box_qp import SolverOptions
from frtsvm_core.solvers.path import BoxPath
from frtsvm_core.twin.decision import REST, class_scores, plane_distances, plane_norms
from frtsvm_core.twin.parallel import one_openmp_thread
from frtsvm_core.twin.plane import without_rounding
from frtsvm_core.twin.problem import plane_specs
from frtsvm_core.twin.spectrum import ClassSpectrum, class_spectrum
from frtsvm_core.twin.whitening import class_scatter

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


@dataclass(frozen=True)
class Rows:
    """Validated rows with labels and, if the caller gave any, weights."""

    x: FloatArray
    labels: NDArray[Any]
    weight: FloatArray | None
    # A transformer that is fitted wherever an estimator is, on the same rows; None: as they are.
    preprocessing: Any = None

    def prepared(self) -> FloatArray:
        """All rows, as an estimator that is fitted on all of them sees them."""
        if self.preprocessing is None:
            return self.x
        rows: FloatArray = clone(self.preprocessing).fit(self.x, self.labels).transform(self.x)
        return rows

    def parted(self, train: IntArray, validation: IntArray) -> tuple[FloatArray, FloatArray]:
        """Rows to train on, and rows to validate on, prepared by what the former alone teach."""
        given, asked = self.x[train], self.x[validation]
        if self.preprocessing is None:
            return given, asked
        fitted = clone(self.preprocessing).fit(given, self.labels[train])
        return fitted.transform(given), fitted.transform(asked)


# Prepared rows of a fold are kept for other kernels if they are at most so many numbers.
_MOST_KEPT = 2**17
# What was prepared for so many kernels is kept for later stages on the same folds, if all folds together
# take at most so many numbers each time. That is for small data, where preparing is half of the work.
_KERNELS_KEPT = 2
_MOST_PREPARED = 2**20


@dataclass(frozen=True)
class Fold:
    train: IntArray
    validation: IntArray
    # Memberships that do not depend on the kernel, kept from one group to the next.
    shared: dict[MembershipSettings, Memberships] = field(default_factory=dict)
    _parted: list[tuple[FloatArray, FloatArray]] = field(default_factory=list)
    _problems: list["FoldProblem"] = field(default_factory=list)

    def __reduce__(self) -> tuple[Any, ...]:
        return Fold, (self.train, self.validation)  # another machine prepares the rest by itself

    def problem(self, rows: Rows, group: Group) -> "FoldProblem":
        """This fold in the feature space of a group; `rows` are the same in every call."""
        for kept in list(self._problems):
            if kept.serves(group):
                return kept
        made = FoldProblem(group, rows, self)
        n_folds = 1.0 + self.train.size / max(self.validation.size, 1)
        if made.size * n_folds <= _MOST_PREPARED:
            self._problems.append(made)
            del self._problems[:-_KERNELS_KEPT]
        return made

    def parted(self, rows: Rows) -> tuple[FloatArray, FloatArray]:
        """Rows to train on and rows to validate on; `rows` are the same in every call."""
        if self._parted:
            return self._parted[0]
        given, asked = rows.parted(self.train, self.validation)
        if rows.preprocessing is not None and given.size + asked.size <= _MOST_KEPT:
            self._parted.append((given, asked))
        return given, asked


@dataclass(frozen=True)
class Decided:
    """One candidate for the validation rows."""

    candidate: Candidate
    distances: FloatArray  # one column per plane
    plane_classes: IntArray
    converged: bool

    @property
    def scores(self) -> FloatArray:
        """As `decision_function`, by the nearer plane."""
        return class_scores(self.distances, self.plane_classes)


@dataclass(frozen=True)
class _SolvedPlane:
    distances: FloatArray  # of the validation rows
    converged: bool


class FoldProblem:
    """A training fold and its validation rows, in the feature space of one group."""

    def __init__(self, group: Group, rows: Rows, fold: Fold) -> None:
        self._space, self._smallest_c = group.space, group.smallest_regularization
        train, validation = fold.train, fold.validation
        pairwise = group.kernel.name == "precomputed"
        if pairwise:
            given = rows.x[np.ix_(train, train)]
        else:
            given, asked = fold.parted(rows)
        weight = None if rows.weight is None else rows.weight[train]
        data = weighted_rows(group.estimator, given, rows.labels[train], weight)
        rng = np.random.default_rng(group.seed)
        gamma = effective_gamma(data, group.kernel)
        self._features = feature_map(data, group.kernel, gamma, rng)
        self._data, self._kernel, self._rng = data, group.kernel, rng
        self._seed = group.seed
        self.classes = data.classes

        if pairwise:
            asked = rows.x[np.ix_(validation, train[data.present])]
        asked = _feature_rows(asked, self._features, group.kernel.resolved(gamma))
        self._spectra: list[ClassSpectrum] = []
        self._opposing: list[IntArray] = []
        self._projected: list[FloatArray] = []  # per class: the rows of all other classes
        self._asked: list[FloatArray] = []  # per class: the validation rows
        for own in range(data.classes.size):
            index = np.flatnonzero(data.codes == own)
            scatter = class_scatter(self._features.rows, index, data.weight, group.bias_ridge)
            spectrum = class_spectrum(
                self._features.rows, scatter, self._features.root, group.smallest_regularization
            )
            opposing = np.flatnonzero(data.codes != own)
            self._spectra.append(spectrum)
            self._opposing.append(opposing)
            self._projected.append(spectrum.project(self._features.rows[opposing]))
            self._asked.append(spectrum.project(asked))
        self._memberships: dict[MembershipSettings, Memberships] = {}
        self._shared = fold.shared if group.estimator.class_weight is None else {}

    def serves(self, group: Group) -> bool:
        """Whether a group has the same features, and no regularization that asks for finer spectra."""
        return self._space == group.space and self._smallest_c <= group.smallest_regularization

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        features = self._features
        arrays = [self._data.rows, features.rows, features.root, features.back]
        arrays += [*self._projected, *self._asked, *(one.directions for one in self._spectra)]
        return sum(array.size for array in arrays if array is not None)

    def decide(self, block: Block) -> Iterator[Decided]:
        """The distances of the validation rows for every candidate of the block."""
        wanted: dict[tuple[int, int, float], dict[MembershipSettings, set[float]]] = defaultdict(
            lambda: defaultdict(set)
        )
        planes = [
            plane_specs(self.classes.size, candidate.settings.multi_class, candidate.settings.costs)
            for candidate in block.candidates
        ]
        for candidate, specs in zip(block.candidates, planes, strict=True):
            for spec in specs:
                path = wanted[spec.own, spec.other, spec.regularization]
                path[candidate.settings.memberships].add(float(spec.slack_cost))
        options = block.candidates[0].options
        solved = {
            (own, other, *key): found
            for (own, other, c), ladders in wanted.items()
            for key, found in self._plane(own, other, c, ladders, options)
        }
        for candidate, specs in zip(block.candidates, planes, strict=True):
            settings = candidate.settings.memberships
            found = [
                solved[spec.own, spec.other, settings, float(spec.slack_cost)] for spec in specs
            ]
            plane_classes = np.array([(spec.own, spec.other) for spec in specs], dtype=np.intp)
            distances = np.stack([plane.distances for plane in found], axis=1)
            converged = all(plane.converged for plane in found)
            yield Decided(candidate, distances, plane_classes, converged)

    def _plane(
        self,
        own: int,
        other: int,
        c: float,
        ladders: dict[MembershipSettings, set[float]],
        options: SolverOptions,
    ) -> Iterator[tuple[tuple[MembershipSettings, float], _SolvedPlane]]:
        """One plane for each membership and slack cost."""
        spectrum = self._spectra[own]
        chosen = slice(None) if other == REST else self._data.codes[self._opposing[own]] == other
        opposing = self._opposing[own][chosen]
        z = spectrum.whitened(self._projected[own][chosen], c)
        path, rounding = BoxPath(z), spectrum.rounding(c)
        for settings, costs in ladders.items():
            boxes = np.sort(np.fromiter(costs, dtype=np.float64))
            trust = self._trust(settings)[opposing] * self._data.weight[opposing]
            solution = path.solve(trust, boxes, options, self._seed)
            v = without_rounding(solution.v, z, solution.alpha, rounding)
            direction, at_mean, g = spectrum.planes(v, c)
            values = self._asked[own] @ direction.T + at_mean
            distances = plane_distances(values, plane_norms(g))
            for cost, column, converged in zip(
                boxes.tolist(), distances.T, solution.converged, strict=True
            ):
                yield (settings, cost), _SolvedPlane(column, bool(converged))

    def _trust(self, settings: MembershipSettings) -> FloatArray:
        """Memberships; mu only multiplies them, so all mu share the rest."""
        halves = replace(settings, mu=0.5)
        if settings.membership == "none":
            return np.ones(self._data.codes.size)
        if halves not in self._memberships:
            self._memberships[halves] = self._halved(halves)
        fuzzy = self._memberships[halves]
        trust: FloatArray = np.where(fuzzy.suspected, settings.mu, 1.0 - settings.mu) * (
            2.0 * fuzzy.values
        )
        return trust

    def _halved(self, settings: MembershipSettings) -> Memberships:
        # Nearest rows of the input space are the same for every gamma, unless they are a sample.
        in_input_space = (
            settings.membership == "neighbors"
            and self._kernel.name in ("linear", "rbf")
            and self._data.codes.size <= most_reference_rows(self._data.rows.shape[1])
        )
        if in_input_space and settings in self._shared:
            return self._shared[settings]
        # Every membership is drawn as if it were the only one.
        with one_openmp_thread():
            fuzzy = memberships(
                self._data, self._kernel, self._features, settings, deepcopy(self._rng)
            )
        if in_input_space:
            self._shared[settings] = fuzzy
        return fuzzy


def _feature_rows(x: FloatArray, features: FeatureMap, kernel: Kernel | None) -> FloatArray:
    """F(x) for rows that are not in the factorization, kernel values formed block by block."""
    if features.back is None:
        return x
    if kernel is None:
        return x @ features.back.T
    rows = np.empty((x.shape[0], features.rank))
    for block in in_blocks(x.shape[0], features.rank):
        rows[block] = kernel(x[block], features.landmarks) @ features.back.T
    return rows
