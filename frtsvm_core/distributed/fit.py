"""Fits the planes of a linear FR-TSVM on the workers of a Dask cluster.

The rows stay where they are read. Three passes give the classes, their means and scatter matrices, and
their radii; each further pass is one round of the dual (`blocks`), for all planes at once. The master
sees vectors and small matrices only.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from dask.delayed import Delayed, delayed
from distributed import Client, Future, default_client
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from frtsvm_core.distributed.blocks import Problem, Report, State, step
from frtsvm_core.distributed.master import PlaneMaster
from frtsvm_core.distributed.moments import Moments, moments_of, squared_radii, together
from frtsvm_core.distributed.partitions import (
    Partitions,
    labels_of,
    partitions_of,
    rows_and_codes,
)
from frtsvm_core.estimators.frtsvm import FRTSVMClassifier
from frtsvm_core.twin.decision import plane_norms
from frtsvm_core.twin.problem import plane_specs
from frtsvm_core.twin.whitening import RESOLVED, DenseWhitening, Whitening

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


@dataclass(frozen=True)
class Round:
    """What a callback receives after each pass over the data."""

    number: int
    relative_gap: float  # the largest of all planes
    violation: float
    n_planes_left: int


def fit_distributed(
    estimator: FRTSVMClassifier,
    data: Any,
    label: str,
    client: Client | None = None,
    *,
    features: Sequence[str] | None = None,
    gap: float = 1e-9,
    max_rounds: int = 200,
    callback: Callable[[Round], None] | None = None,
) -> FRTSVMClassifier:
    """A fitted clone of a linear estimator.

    `data` is a Dask dataframe, or the folder (a path or URL) of Parquet files that all workers
    can read; a file is a partition, and a worker needs memory for one partition per thread, and 8
    bytes for each row it looks after and plane. The fit ends when the relative duality gap of
    every plane is at most `gap`. Memberships are "center" or "none"; rows have no weights.
    """
    _require_linear(estimator)
    client = default_client() if client is None else client
    parts = partitions_of(data, label, features)
    passes = _Passes(client, parts)
    classes = passes.classes()
    specs = tuple(plane_specs(classes.size, estimator.multi_class, estimator._settings().costs))
    moments = passes.moments(classes)
    centers = np.stack([one.mean for one in moments])
    radii = np.zeros(classes.size)
    if estimator.membership == "center":
        radii = passes.radii(classes, centers)
    made: dict[tuple[int, float], Whitening] = {}
    for spec in specs:
        key = (spec.own, spec.regularization)
        if key not in made:
            made[key] = _whitening(moments[spec.own], spec.regularization)
    problem = Problem(
        classes=classes,
        specs=specs,
        whitenings=tuple(made[spec.own, spec.regularization] for spec in specs),
        centers=centers,
        squared_radii=radii,
        membership=estimator.membership,
        mu=estimator.mu,
        delta=estimator.delta,
        n_partitions=len(parts.tables),
    )
    seed = int(check_random_state(estimator.random_state).randint(2**31 - 1))
    masters = [
        PlaneMaster(centers.shape[1] + 1, len(parts.tables), gap, rng)
        for rng in np.random.default_rng(seed).spawn(len(specs))
    ]
    _solve(passes, problem, masters, max_rounds, callback)
    return _fitted(estimator, problem, masters, parts)


def _require_linear(estimator: FRTSVMClassifier) -> None:
    if estimator.kernel != "linear":
        raise ValueError('only kernel="linear" can be fitted on partitions')
    if estimator.membership not in ("center", "none"):
        raise ValueError('memberships on partitions are "center" or "none"')
    if estimator.class_weight is not None:
        raise ValueError("partitions have no class_weight")


class _Passes:
    """Passes over all partitions."""

    def __init__(self, client: Client, parts: Partitions) -> None:
        self._client, self._parts = client, parts
        self._problem: Future[Problem] | None = None
        self._states: list[Future[State] | None] = [None] * len(parts.tables)

    def classes(self) -> NDArray[Any]:
        """All labels, sorted."""
        labels: set[Any] = set()
        ask = delayed(labels_of)
        for found in self._each([ask(table, self._parts.label) for table in self._parts.tables]):
            labels.update(found)
        classes = np.unique(np.array(sorted(labels)))
        if classes.size < 2:
            raise ValueError(f"column {self._parts.label!r} has {classes.size} class, 2 are needed")
        return classes

    def moments(self, classes: NDArray[Any]) -> list[Moments]:
        """Mean and scatter of each class."""
        ask = delayed(_moments)
        return together(
            self._each([ask(table, self._parts_only, classes) for table in self._parts.tables])
        )

    def radii(self, classes: NDArray[Any], centers: FloatArray) -> FloatArray:
        """Squared distance of the farthest row of each class."""
        ask = delayed(_radii)
        tasks = [ask(table, self._parts_only, classes, centers) for table in self._parts.tables]
        farthest: FloatArray = np.max(self._each(tasks), axis=0)
        return farthest

    def round(self, problem: Problem, masters: list[PlaneMaster]) -> list[list[Report]]:
        """One step of every partition; what they report, partition by partition."""
        if self._problem is None:
            # A task rather than scattered data: it can be done again if the worker that has it dies.
            self._problem = self._client.submit(_given, problem, pure=False)
        ask = delayed(_step, nout=2)
        states, reports = [], []
        for number, table in enumerate(self._parts.tables):
            orders = [master.order(number) for master in masters]
            state, report = ask(
                table, self._parts_only, self._problem, self._states[number], orders
            )
            states.append(state)
            reports.append(report)
        futures = self._client.compute(states + reports)
        self._states = futures[: len(states)]
        answers: list[list[Report]] = self._client.gather(futures[len(states) :])
        return answers

    @property
    def _parts_only(self) -> Partitions:
        """The names of the columns, without the tables."""
        return Partitions((), self._parts.label, self._parts.features)

    def _each(self, tasks: list[Delayed]) -> list[Any]:
        futures = self._client.compute(tasks)
        try:
            results: list[Any] = self._client.gather(futures)
        finally:
            for future in futures:
                future.release()  # an error would keep them as long as its trace
        return results


def _given(problem: Problem) -> Problem:
    return problem


def _moments(table: Any, data: Partitions, classes: NDArray[Any]) -> list[Moments]:
    return moments_of(*rows_and_codes(table, data, classes), classes.size)


def _radii(table: Any, data: Partitions, classes: NDArray[Any], centers: FloatArray) -> FloatArray:
    return squared_radii(*rows_and_codes(table, data, classes), centers)


def _step(
    table: Any, data: Partitions, problem: Problem, state: State | None, orders: Any
) -> tuple[State, list[Report]]:
    return step(*rows_and_codes(table, data, problem.classes), problem, state, orders)


def _whitening(own: Moments, c: float) -> Whitening:
    if own.count == 0 or c <= RESOLVED * float(np.trace(own.scatter)):
        raise ValueError(
            f"a regularization of {c:g} is lost beside a scatter of {np.trace(own.scatter):.3g}: "
            "scale the features, or raise c1 and c2"
        )
    try:
        lower = cholesky(own.scatter + c * np.eye(own.mean.size), lower=True)
    except LinAlgError as error:
        raise ValueError("the scatter matrix is not finite") from error
    transform = solve_triangular(lower, np.eye(own.mean.size), lower=True)
    return DenseWhitening(own.as_class_scatter(), np.ascontiguousarray(transform))


def _solve(
    passes: _Passes,
    problem: Problem,
    masters: list[PlaneMaster],
    max_rounds: int,
    callback: Callable[[Round], None] | None,
) -> None:
    for number in range(1, max_rounds + 1):
        answers = passes.round(problem, masters)
        for plane, master in enumerate(masters):
            master.take([answer[plane] for answer in answers])
        if callback is not None:
            callback(
                Round(
                    number,
                    max(master.certificate.relative_gap for master in masters),
                    max(master.certificate.kkt_violation for master in masters),
                    sum(not master.converged for master in masters),
                )
            )
        if all(master.converged for master in masters):
            return
    left = sum(not master.converged for master in masters)
    warnings.warn(
        f"{left} of {len(masters)} planes did not reach the gap in {max_rounds} rounds.",
        ConvergenceWarning,
        stacklevel=3,
    )


def _fitted(
    estimator: FRTSVMClassifier, problem: Problem, masters: list[PlaneMaster], parts: Partitions
) -> FRTSVMClassifier:
    """The estimator that a fit in memory would give, but for what it knows of each row."""
    fitted: FRTSVMClassifier = clone(estimator)
    planes = [
        whitening.plane(master.v, spec.sign)
        for whitening, master, spec in zip(problem.whitenings, masters, problem.specs, strict=True)
    ]
    fitted.coef_ = np.stack([g for g, _ in planes])
    fitted.intercept_ = np.array([b for _, b in planes])
    fitted.plane_norms_ = plane_norms(fitted.coef_)
    fitted.plane_classes_ = np.array(
        [(spec.own, spec.other) for spec in problem.specs], dtype=np.intp
    )
    fitted.classes_ = problem.classes
    fitted.gamma_ = 1.0
    fitted.certificates_ = tuple(master.certificate for master in masters)
    fitted.n_iter_ = np.array([c.n_sweeps for c in fitted.certificates_])
    fitted.duality_gap_ = np.array([c.relative_gap for c in fitted.certificates_])
    fitted.converged_ = np.array([c.converged for c in fitted.certificates_])
    fitted.n_features_in_ = len(parts.features)
    fitted.feature_names_in_ = np.array(parts.features, dtype=object)
    return fitted
