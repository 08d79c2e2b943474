"""Evaluate many candidates on one fold, and compute everything that they share only once.

For each class the rows are projected onto the eigenvectors of the class scatter matrix
(twin/spectrum.py). After that, each c1 costs a product with a diagonal matrix, each slack cost is
one box of a regularization path (solvers/path.py), and the distances of the validation rows to a
plane are one column of a matrix product.
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
from frtsvm_core.twin.plane import zero_cancelled_directions
from frtsvm_core.twin.problem import plane_specs
from frtsvm_core.twin.spectrum import ClassSpectrum, class_spectrum
from frtsvm_core.twin.whitening import class_scatter

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


@dataclass(frozen=True)
class Rows:
    """Validated training data of a search.

    Attributes
    ----------
    x : ndarray of shape (n_rows, n_columns)
        Input rows, before preprocessing.
    labels : ndarray of shape (n_rows,)
        Labels of the rows.
    weight : ndarray of shape (n_rows,) or None
        Weights of the rows.
    preprocessing : transformer or None
        Fitted on the same rows as each estimator, and applied to its inputs.
    """

    x: FloatArray
    labels: NDArray[Any]
    weight: FloatArray | None
    preprocessing: Any = None

    def prepared(self) -> FloatArray:
        """Return all rows after preprocessing that was fitted on all of them."""
        if self.preprocessing is None:
            return self.x
        rows: FloatArray = clone(self.preprocessing).fit(self.x, self.labels).transform(self.x)
        return rows

    def split(self, train: IntArray, validation: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return training and validation rows after preprocessing fitted to the training rows."""
        train_rows, validation_rows = self.x[train], self.x[validation]
        if self.preprocessing is None:
            return train_rows, validation_rows
        fitted = clone(self.preprocessing).fit(train_rows, self.labels[train])
        return fitted.transform(train_rows), fitted.transform(validation_rows)


# Preprocessed rows of a fold are cached for other kernels if they have at most this many numbers.
_MAX_CACHED_INPUTS = 2**17
# The prepared problems of this many kernels are cached for later stages on the same folds, if all
# folds together have at most `_MAX_CACHED_PROBLEM` numbers per kernel. This serves small data,
# where preparation is half of the work.
_MAX_CACHED_KERNELS = 2
_MAX_CACHED_PROBLEM = 2**20


@dataclass(frozen=True)
class Fold:
    """Row numbers of one fold, with caches of the computations on it.

    Every method that takes `rows` must be given the same rows in every call.
    """

    train: IntArray
    validation: IntArray
    # Memberships that do not depend on the kernel, cached from one group to the next.
    shared: dict[MembershipSettings, Memberships] = field(default_factory=dict)
    _split: list[tuple[FloatArray, FloatArray]] = field(default_factory=list)
    _problems: list["FoldProblem"] = field(default_factory=list)

    def __reduce__(self) -> tuple[Any, ...]:
        return Fold, (self.train, self.validation)  # caches are not sent to workers

    def problem(self, rows: Rows, group: Group) -> "FoldProblem":
        """Return this fold in the feature space of a group, from the cache if possible."""
        for kept in list(self._problems):
            if kept.serves(group):
                return kept
        made = FoldProblem(group, rows, self)
        n_folds = 1.0 + self.train.size / max(self.validation.size, 1)
        if made.size * n_folds <= _MAX_CACHED_PROBLEM:
            self._problems.append(made)
            del self._problems[:-_MAX_CACHED_KERNELS]
        return made

    def split(self, rows: Rows) -> tuple[FloatArray, FloatArray]:
        """Return the preprocessed training rows and validation rows."""
        if self._split:
            return self._split[0]
        train_rows, validation_rows = rows.split(self.train, self.validation)
        if (
            rows.preprocessing is not None
            and train_rows.size + validation_rows.size <= _MAX_CACHED_INPUTS
        ):
            self._split.append((train_rows, validation_rows))
        return train_rows, validation_rows


@dataclass(frozen=True)
class CandidateDistances:
    """Distances of the validation rows to the planes of one candidate."""

    candidate: Candidate
    distances: FloatArray  # one column per plane
    plane_classes: IntArray
    converged: bool

    @property
    def scores(self) -> FloatArray:
        """Decision scores by the rule of the nearer plane, as `decision_function` returns them."""
        return class_scores(self.distances, self.plane_classes)


@dataclass(frozen=True)
class _SolvedPlane:
    distances: FloatArray  # of the validation rows
    converged: bool


class FoldProblem:
    """A training fold and its validation rows in the feature space of one group of candidates."""

    def __init__(self, group: Group, rows: Rows, fold: Fold) -> None:
        self._space, self._smallest_c = group.space, group.smallest_regularization
        train, validation = fold.train, fold.validation
        pairwise = group.kernel.name == "precomputed"
        if pairwise:
            train_rows = rows.x[np.ix_(train, train)]
        else:
            train_rows, validation_rows = fold.split(rows)
        weight = None if rows.weight is None else rows.weight[train]
        data = weighted_rows(group.estimator, train_rows, rows.labels[train], weight)
        rng = np.random.default_rng(group.seed)
        gamma = effective_gamma(data, group.kernel)
        self._features = feature_map(data, group.kernel, gamma, rng)
        self._data, self._kernel, self._rng = data, group.kernel, rng
        self._seed = group.seed
        self.classes = data.classes

        if pairwise:
            validation_rows = rows.x[np.ix_(validation, train[data.present])]
        validation_rows = _feature_rows(
            validation_rows, self._features, group.kernel.resolved(gamma)
        )
        self._spectra: list[ClassSpectrum] = []
        self._opposing: list[IntArray] = []
        self._projected: list[FloatArray] = []  # per class: the projected rows of all other classes
        self._validation: list[FloatArray] = []  # per class: the projected validation rows
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
            self._validation.append(spectrum.project(validation_rows))
        self._memberships: dict[MembershipSettings, Memberships] = {}
        self._shared = fold.shared if group.estimator.class_weight is None else {}

    def serves(self, group: Group) -> bool:
        """Whether this problem can evaluate a group.

        The feature space must be the same, and no regularization may be smaller than those that the
        spectra were computed for.
        """
        return self._space == group.space and self._smallest_c <= group.smallest_regularization

    @property
    def size(self) -> int:
        """Number of array entries in memory."""
        features = self._features
        arrays = [self._data.rows, features.rows, features.root, features.to_coefficients]
        arrays += [*self._projected, *self._validation, *(one.directions for one in self._spectra)]
        return sum(array.size for array in arrays if array is not None)

    def distances(self, block: Block) -> Iterator[CandidateDistances]:
        """Yield the distances of the validation rows for every candidate of the block."""
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
            for (own, other, c), paths in wanted.items()
            for key, found in self._plane(own, other, c, paths, options)
        }
        for candidate, specs in zip(block.candidates, planes, strict=True):
            settings = candidate.settings.memberships
            found = [
                solved[spec.own, spec.other, settings, float(spec.slack_cost)] for spec in specs
            ]
            plane_classes = np.array([(spec.own, spec.other) for spec in specs], dtype=np.intp)
            distances = np.stack([plane.distances for plane in found], axis=1)
            converged = all(plane.converged for plane in found)
            yield CandidateDistances(candidate, distances, plane_classes, converged)

    def _plane(
        self,
        own: int,
        other: int,
        c: float,
        paths: dict[MembershipSettings, set[float]],
        options: SolverOptions,
    ) -> Iterator[tuple[tuple[MembershipSettings, float], _SolvedPlane]]:
        """Solve one plane for each membership and slack cost; yield them with these as keys."""
        spectrum = self._spectra[own]
        chosen = slice(None) if other == REST else self._data.codes[self._opposing[own]] == other
        opposing = self._opposing[own][chosen]
        z = spectrum.whitened(self._projected[own][chosen], c)
        path, rounding = BoxPath(z), spectrum.rounding(c)
        for settings, costs in paths.items():
            boxes = np.sort(np.fromiter(costs, dtype=np.float64))
            weights = self._membership_weights(settings)[opposing] * self._data.weight[opposing]
            solution = path.solve(weights, boxes, options, self._seed)
            v = zero_cancelled_directions(solution.v, z, solution.alpha, rounding)
            direction, at_mean, g = spectrum.planes(v, c)
            values = self._validation[own] @ direction.T + at_mean
            distances = plane_distances(values, plane_norms(g))
            for cost, column, converged in zip(
                boxes.tolist(), distances.T, solution.converged, strict=True
            ):
                yield (settings, cost), _SolvedPlane(column, bool(converged))

    def _membership_weights(self, settings: MembershipSettings) -> FloatArray:
        """Memberships of all rows.

        They are computed once for mu = 0.5 and rescaled for any other mu, which is only a factor.
        """
        at_half = replace(settings, mu=0.5)
        if settings.membership == "none":
            return np.ones(self._data.codes.size)
        if at_half not in self._memberships:
            self._memberships[at_half] = self._memberships_at_half(at_half)
        fuzzy = self._memberships[at_half]
        weights: FloatArray = np.where(fuzzy.suspected, settings.mu, 1.0 - settings.mu) * (
            2.0 * fuzzy.values
        )
        return weights

    def _memberships_at_half(self, settings: MembershipSettings) -> Memberships:
        # Neighbors in the input space do not depend on gamma, unless they come from a random
        # sample.
        in_input_space = (
            settings.membership == "neighbors"
            and self._kernel.name in ("linear", "rbf")
            and self._data.codes.size <= most_reference_rows(self._data.rows.shape[1])
        )
        if in_input_space and settings in self._shared:
            return self._shared[settings]
        # A copy of the generator: the draws must not depend on which memberships came before.
        with one_openmp_thread():
            fuzzy = memberships(
                self._data, self._kernel, self._features, settings, deepcopy(self._rng)
            )
        if in_input_space:
            self._shared[settings] = fuzzy
        return fuzzy


def _feature_rows(x: FloatArray, features: FeatureMap, kernel: Kernel | None) -> FloatArray:
    """Return F(x) for rows outside the factorization; kernel values are computed in blocks."""
    if features.to_coefficients is None:
        return x
    if kernel is None:
        return x @ features.to_coefficients.T
    rows = np.empty((x.shape[0], features.rank))
    for block in in_blocks(x.shape[0], features.rank):
        rows[block] = kernel(x[block], features.landmarks) @ features.to_coefficients.T
    return rows
