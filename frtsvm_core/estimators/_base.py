"""What all twin-plane estimators share: the road from rows and labels to fitted planes."""

import warnings
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from frtsvm_core.estimators._validation import (
    check_rows,
    check_rows_and_labels,
    check_weights,
    encode_classes,
)
from frtsvm_core.kernels.feature_map import FeatureMap, kernel_map, linear_map
from frtsvm_core.kernels.functions import KERNEL_NAMES, resolve_gamma, resolve_kernel
from frtsvm_core.memberships import (
    Memberships,
    center_memberships,
    neighbor_memberships,
    no_memberships,
)
from frtsvm_core.twin.model import PlaneModel, decide
from frtsvm_core.twin.parallel import one_blas_thread
from frtsvm_core.twin.plane import Plane, SolverOptions
from frtsvm_core.twin.problem import (
    Costs,
    PlaneSpec,
    Progress,
    ProgressCallback,
    TwinProblem,
    plane_specs,
)

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

_TYPICAL_RANK = 100


@dataclass(frozen=True)
class TwinSettings:
    """How one estimator differs from another: what it puts into the common problem."""

    costs: Costs
    multi_class: str
    membership: str = "none"
    mu: float = 0.1
    delta: float = 1e-10
    bias_ridge: float = 0.0


class TwinPlaneClassifier(ClassifierMixin, BaseEstimator):
    """Base of the twin-plane classifiers; subclasses store parameters and give `_settings`."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions(set(KERNEL_NAMES)), callable],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="neither")],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "rank": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left"), None],
        "kernel_tol": [Interval(Real, 0.0, 1.0, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "shrinking": ["boolean"],
        "multi_class": [StrOptions({"ovo", "ovr"})],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "random_state": ["random_state"],
    }

    kernel: Any
    gamma: float | str
    degree: int
    coef0: float
    rank: int | str | None
    kernel_tol: float
    tol: float
    max_iter: int
    shrinking: bool
    class_weight: Any
    random_state: Any

    def _settings(self) -> TwinSettings:
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    # --- fit ---------------------------------------------------------------------------------

    def _fit(
        self, x: Any, y: Any, sample_weight: Any, callback: ProgressCallback | None
    ) -> Self:
        settings = self._settings()
        rows, labels = check_rows_and_labels(self, x, y)
        self._require_square(rows)
        all_weights = check_weights(sample_weight, self.class_weight, rows, labels)
        # Weight 0 is absence: such rows are not there for anything that follows.
        present = np.flatnonzero(all_weights > 0.0)
        self.classes_, codes = encode_classes(labels[present])
        weight = all_weights[present]
        if present.size < rows.shape[0]:
            rows = rows[np.ix_(present, present)] if self._precomputed else rows[present]

        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        specs = plane_specs(self.classes_.size, settings.multi_class, settings.costs)
        options = SolverOptions(self.tol, self.max_iter, self.shrinking)
        phase = _Phases(callback, len(specs))
        with one_blas_thread(self._expected_cells(rows)):
            phase("kernel")
            self.gamma_ = self._resolve_gamma(rows, weight)
            features = self._feature_map(rows, weight, rng)
            phase("memberships")
            memberships = self._memberships(settings, rows, features, codes, weight)
            problem = TwinProblem(features, codes, weight, memberships.values, settings.bias_ridge)
            planes = problem.solve(specs, options, rng, callback)
        self._keep(features, specs, planes, present)
        self._keep_memberships(memberships, present, all_weights.size)
        self._warn_if_not_converged()
        return self

    @property
    def _precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _require_square(self, rows: FloatArray) -> None:
        if self._precomputed and rows.shape[0] != rows.shape[1]:
            raise ValueError(
                "Precomputed matrix must be a square matrix. "
                f"Input is a {rows.shape[0]}x{rows.shape[1]} matrix."
            )

    def _expected_cells(self, rows: FloatArray) -> int:
        """Cells of the feature rows, before the rank of the kernel is known."""
        width = rows.shape[1] if self.kernel == "linear" else _TYPICAL_RANK
        return rows.shape[0] * width

    def _resolve_gamma(self, rows: FloatArray, weight: FloatArray) -> float:
        uses_gamma = self.kernel in ("rbf", "poly", "sigmoid") if isinstance(self.kernel, str) else False
        return resolve_gamma(self.gamma, rows, weight) if uses_gamma else 1.0

    def _feature_map(
        self, rows: FloatArray, weight: FloatArray, rng: np.random.Generator
    ) -> FeatureMap:
        kernel = resolve_kernel(
            self.kernel, gamma=self.gamma_, degree=self.degree, coef0=self.coef0
        )
        if kernel is None:
            return linear_map(rows)
        return kernel_map(kernel, rows, weight, rank=self.rank, tol=self.kernel_tol, rng=rng)

    def _memberships(
        self,
        settings: TwinSettings,
        rows: FloatArray,
        features: FeatureMap,
        codes: IntArray,
        weight: FloatArray,
    ) -> Memberships:
        if settings.membership == "none":
            return no_memberships(codes.size)
        linear = self.kernel == "linear"
        if settings.membership == "neighbors":
            # Nearest in the feature space of the RBF kernel is nearest in the input space.
            space = rows if linear or self.kernel == "rbf" else features.rows
            return neighbor_memberships(space, codes, weight, mu=settings.mu)
        return center_memberships(
            rows if linear else features.rows,
            codes,
            weight,
            mu=settings.mu,
            delta=settings.delta,
            feature_space=not linear,
        )

    def _keep(
        self, features: FeatureMap, specs: list[PlaneSpec], planes: list[Plane], present: IntArray
    ) -> None:
        g = np.stack([plane.g for plane in planes])
        coefficients = features.coefficients(g)
        if features.landmarks is None:
            self.coef_ = coefficients
        else:
            self.dual_coef_ = coefficients
            # Row numbers of a precomputed kernel are those of the matrix that the caller gave.
            self.landmarks_ = present[features.landmarks] if self._precomputed else features.landmarks
        self.intercept_ = np.array([plane.b for plane in planes])
        self.plane_norms_ = _norms(g)
        self.plane_classes_ = np.array([(spec.own, spec.other) for spec in specs], dtype=np.intp)
        self.certificates_ = tuple(plane.certificate for plane in planes)
        self.n_iter_ = np.array([c.n_sweeps for c in self.certificates_])
        self.duality_gap_ = np.array([c.relative_gap for c in self.certificates_])
        self.converged_ = np.array([c.converged for c in self.certificates_])
        self.rank_ = features.rank
        self.kernel_residual_ = features.residual

    def _keep_memberships(self, memberships: Memberships, present: IntArray, n_rows: int) -> None:
        self.memberships_ = np.zeros(n_rows)
        self.memberships_[present] = memberships.values
        self.suspected_noise_ = np.zeros(n_rows, dtype=bool)
        self.suspected_noise_[present] = memberships.suspected

    def _warn_if_not_converged(self) -> None:
        for certificate, (own, _) in zip(self.certificates_, self.plane_classes_, strict=True):
            if not certificate.converged:
                warnings.warn(
                    f"The plane of class {self.classes_[own]!r} stopped at max_iter="
                    f"{self.max_iter} sweeps with a KKT violation of "
                    f"{certificate.kkt_violation:.3g} (tol={self.tol:g}) and a relative duality "
                    f"gap of {certificate.relative_gap:.3g}. Scale the features, raise c1, lower "
                    "c3, or allow more sweeps.",
                    ConvergenceWarning,
                    stacklevel=4,
                )

    # --- predict -----------------------------------------------------------------------------

    def plane_model(self) -> PlaneModel:
        """The fitted planes as plain arrays."""
        check_is_fitted(self)
        kernel = resolve_kernel(
            self.kernel, gamma=self.gamma_, degree=self.degree, coef0=self.coef0
        )
        return PlaneModel(
            kernel=kernel,
            landmarks=None if kernel is None else self.landmarks_,
            coef=self.coef_ if kernel is None else self.dual_coef_,
            intercept=self.intercept_,
            norms=self.plane_norms_,
            plane_classes=self.plane_classes_,
        )

    def distances(self, X: Any) -> FloatArray:
        """Distance of each row to the plane of each class, one column per class.

        For two classes, and for one-vs-rest; with one-vs-one and more classes a class has several
        planes, and `decision_function` weighs them.
        """
        model = self.plane_model()
        if not model.one_plane_per_class:
            raise AttributeError(
                "distances is defined with one plane per class: two classes, or multi_class='ovr'"
            )
        return model.distances(check_rows(self, X, reset=False))

    def decision_function(self, X: Any) -> FloatArray:
        """Two classes: distance to the plane of `classes_[0]` minus distance to that of
        `classes_[1]`, so positive means `classes_[1]`. Otherwise one column per class, largest for
        the predicted one."""
        model = self.plane_model()
        return model.scores(model.distances(check_rows(self, X, reset=False)))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class whose plane is nearest."""
        check_is_fitted(self)
        labels: NDArray[Any] = self.classes_[decide(self.decision_function(X))]
        return labels


class _Phases:
    """Tells the callback when a new part of the fit begins."""

    def __init__(self, callback: ProgressCallback | None, n_planes: int) -> None:
        self._callback, self._n_planes = callback, n_planes

    def __call__(self, phase: str) -> None:
        if self._callback is not None:
            self._callback(Progress(phase, 0, self._n_planes, 0, np.inf, 0))


def _norms(g: FloatArray) -> FloatArray:
    """Row norms without overflow or underflow of the squares."""
    scale = np.abs(g).max(axis=1, initial=0.0)
    safe = np.where(scale > 0.0, scale, 1.0)
    return scale * np.linalg.norm(g / safe[:, None], axis=1)
