"""Fit the planes of a linear FR-TSVM on the workers of a Dask cluster.

Three passes over the data compute the classes, their means and scatter matrices, and their radii.
Each further pass is one round of the dual problem (blocks.py) for all planes. Only the workers read
the data. The master, the process that calls `fit_distributed`, receives vectors, small matrices and
a limited number of selected rows.
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
from frtsvm_core.distributed.moments import Moments, combine_moments, moments_of, squared_radii
from frtsvm_core.distributed.partitions import (
    Partitions,
    labels_of,
    partitions_of,
    rows_and_codes,
)
from frtsvm_core.estimators.frtsvm import FRTSVMClassifier
from frtsvm_core.twin.decision import plane_norms
from frtsvm_core.twin.problem import plane_specs
from frtsvm_core.twin.whitening import MIN_RELATIVE_C, DenseWhitening, Whitening

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


@dataclass(frozen=True)
class Round:
    """Progress report to the callback of `fit_distributed`, after each round over the data.

    Attributes
    ----------
    number : int
        Number of the round, counted from 1.
    relative_gap : float
        Largest relative duality gap of all planes.
    violation : float
        Largest KKT violation of all planes.
    n_planes_left : int
        Number of planes that have not converged.
    """

    number: int
    relative_gap: float
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
    """Fit a linear FR-TSVM on partitioned data with the workers of a Dask cluster.

    The planes are those of a fit in memory (docs/scaling.md). Sample weights are not supported.

    Parameters
    ----------
    estimator : FRTSVMClassifier
        Estimator with ``kernel="linear"``, ``membership="center"`` or ``"none"``, and
        ``class_weight=None``. It is cloned, not modified. `tol`, `max_iter`, `shrinking` and the
        parameters of other kernels have no effect.
    data : dask.dataframe.DataFrame, str or pathlib.Path
        A Dask dataframe, or the path or URL of a folder of Parquet files that all workers can read.
        Each file is a partition. Larger partitions need more memory, smaller ones more tasks. A
        worker needs, for each thread, about three times the size of one partition as doubles. In
        addition it needs, for each plane, 8 bytes (16 during a round) per row of the other class in
        its share of the data.
    label : str
        Name of the label column.
    client : distributed.Client, default=None
        Client of the cluster. None means that of `distributed.default_client`.
    features : sequence of str, default=None
        Names of the feature columns. None means all columns except `label`.
    gap : float, default=1e-9
        The fit ends when the relative duality gap of every plane is at most this. Larger values
        need fewer rounds and give less accurate planes.
    max_rounds : int, default=200
        Largest number of rounds. Each round is one pass over the data, in addition to three passes
        (two with ``membership="none"``) before the first round. If a plane has not converged by
        then, a `ConvergenceWarning` is issued.
    callback : callable, default=None
        Function that is called with a `Round` after each round. An exception that it raises ends
        the fit and is passed on to the caller.

    Returns
    -------
    fitted : FRTSVMClassifier
        A fitted clone of `estimator`, without the attributes that describe single training rows
        (`memberships_`, `suspected_noise_`) or the kernel factorization (`rank_`,
        `kernel_residual_`).

    Raises
    ------
    ValueError
        If a parameter of the estimator is not supported, a column does not exist, a value is
        missing or infinite, or there are fewer than two classes.

    See Also
    --------
    frtsvm_core.FRTSVMClassifier : Fit in memory.

    Notes
    -----
    The problem is that of `FRTSVMClassifier`, whose dual for each plane is (docs/maths.md, eq. 9)::

        minimize  1/2 |Z'a|^2 - e'a    subject to  0 <= a <= C

    with one coordinate per opposing row. In some rounds, each of the K partitions improves its own
    coordinates as if all others did the same (CoCoA+ [1]_)::

        maximize  e'd - v.(Z'd) - K/2 |Z'd|^2    subject to  0 <= a + d <= C

    where v is Z'a summed over all partitions, and d is the change of the partition's a. In other
    rounds, the partitions send some rows to the master (the process that calls this function),
    which solves for all of them together: the rows whose coordinates are strictly between their
    bounds, then those that violate optimality, then those closest to the margin. The state of a
    lost worker is recomputed by the others.

    References
    ----------
    .. [1] C. Ma, V. Smith, M. Jaggi, M. I. Jordan, P. Richtarik and M. Takac, "Adding vs. Averaging
           in Distributed Primal-Dual Optimization", ICML 2015.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from distributed import Client
    >>> from sklearn.datasets import make_classification
    >>> from frtsvm_core import FRTSVMClassifier
    >>> from frtsvm_core.distributed import fit_distributed
    >>> X, y = make_classification(300, n_features=4, random_state=0)
    >>> frame = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(label=y)
    >>> data = dd.from_pandas(frame, npartitions=3)
    >>> with Client(processes=False, dashboard_address=None) as client:
    ...     model = fit_distributed(FRTSVMClassifier("linear"), data, "label", client)
    >>> bool(model.duality_gap_.max() <= 1e-9)
    True
    >>> print(f"{model.score(frame[['a', 'b', 'c', 'd']], y):.3f}")
    0.923
    """
    _require_linear(estimator)
    client = default_client() if client is None else client
    parts = partitions_of(data, label, features)
    passes = _Passes(client, parts)
    classes = passes.classes()
    specs = tuple(plane_specs(classes.size, estimator.multi_class, estimator._settings().costs))
    moments = passes.moments(classes)
    centers = np.stack([own.mean for own in moments])
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
        raise ValueError(
            f"fit_distributed supports kernel='linear' only; got {estimator.kernel!r}."
        )
    if estimator.membership not in ("center", "none"):
        raise ValueError(
            "fit_distributed supports membership='center' and membership='none' only; "
            f"got {estimator.membership!r}."
        )
    if estimator.class_weight is not None:
        raise ValueError(
            f"fit_distributed does not support class_weight; got {estimator.class_weight!r}. "
            "Set class_weight=None."
        )


class _Passes:
    """Run tasks on all partitions: one pass over the data per method call."""

    def __init__(self, client: Client, parts: Partitions) -> None:
        self._client, self._parts = client, parts
        self._problem: Future[Problem] | None = None
        self._states: list[Future[State] | None] = [None] * len(parts.tables)

    def classes(self) -> NDArray[Any]:
        """Return the sorted labels of all partitions."""
        labels: set[Any] = set()
        task = delayed(labels_of)
        for found in self._each([task(table, self._parts.label) for table in self._parts.tables]):
            labels.update(found)
        classes = np.unique(np.array(sorted(labels)))
        if classes.size < 2:
            raise ValueError(
                f"The number of distinct labels in column {self._parts.label!r} is {classes.size}; "
                "at least 2 are needed."
            )
        return classes

    def moments(self, classes: NDArray[Any]) -> list[Moments]:
        """Return mean and scatter matrix of each class."""
        task = delayed(_moments)
        return combine_moments(
            self._each([task(table, self._columns, classes) for table in self._parts.tables])
        )

    def radii(self, classes: NDArray[Any], centers: FloatArray) -> FloatArray:
        """Return the squared distance of the farthest row of each class from its center."""
        task = delayed(_radii)
        tasks = [task(table, self._columns, classes, centers) for table in self._parts.tables]
        farthest: FloatArray = np.max(self._each(tasks), axis=0)
        return farthest

    def round(self, problem: Problem, masters: list[PlaneMaster]) -> list[list[Report]]:
        """Run one round on every partition; return the reports of all planes for each partition."""
        if self._problem is None:
            # A task in place of scattered data can be repeated if the worker that holds it is lost.
            self._problem = self._client.submit(_identity, problem, pure=False)
        task = delayed(_step, nout=2)
        states, reports = [], []
        for number, table in enumerate(self._parts.tables):
            instructions = [master.instruction(number) for master in masters]
            state, report = task(
                table, self._columns, self._problem, self._states[number], instructions
            )
            states.append(state)
            reports.append(report)
        futures = self._client.compute(states + reports)
        self._states = futures[: len(states)]
        gathered: list[list[Report]] = self._client.gather(futures[len(states) :])
        return gathered

    @property
    def _columns(self) -> Partitions:
        """The column names, without the tables."""
        return Partitions((), self._parts.label, self._parts.features)

    def _each(self, tasks: list[Delayed]) -> list[Any]:
        futures = self._client.compute(tasks)
        try:
            results: list[Any] = self._client.gather(futures)
        finally:
            for future in futures:
                future.release()  # otherwise the traceback of an error keeps the futures alive
        return results


def _identity(problem: Problem) -> Problem:
    return problem


def _moments(table: Any, data: Partitions, classes: NDArray[Any]) -> list[Moments]:
    return moments_of(*rows_and_codes(table, data, classes), classes.size)


def _radii(table: Any, data: Partitions, classes: NDArray[Any], centers: FloatArray) -> FloatArray:
    return squared_radii(*rows_and_codes(table, data, classes), centers)


def _step(
    table: Any, data: Partitions, problem: Problem, state: State | None, instructions: Any
) -> tuple[State, list[Report]]:
    return step(*rows_and_codes(table, data, problem.classes), problem, state, instructions)


def _whitening(own: Moments, c: float) -> Whitening:
    if own.count == 0 or c <= MIN_RELATIVE_C * float(np.trace(own.scatter)):
        raise ValueError(
            f"c1 or c2 is too small: in double precision, {c:g} has no effect on a scatter matrix "
            f"with the trace {np.trace(own.scatter):.3g}. Scale the features, or raise c1 and c2."
        )
    try:
        lower = cholesky(own.scatter + c * np.eye(own.mean.size), lower=True)
    except LinAlgError as error:
        raise ValueError(
            "The scatter matrix of a class plus c1 or c2 is not positive definite, because of "
            "rounding errors. Scale the features, or raise c1 and c2."
        ) from error
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
        reports = passes.round(problem, masters)
        for plane, master in enumerate(masters):
            master.receive([of_planes[plane] for of_planes in reports])
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
        f"{left} of {len(masters)} planes did not reach the requested duality gap in {max_rounds} "
        "rounds. Scale the features, raise c1 and c2, or raise gap or max_rounds.",
        ConvergenceWarning,
        stacklevel=3,
    )


def _fitted(
    estimator: FRTSVMClassifier, problem: Problem, masters: list[PlaneMaster], parts: Partitions
) -> FRTSVMClassifier:
    """Return the fitted estimator, without the attributes that describe single training rows."""
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
