"""What all twin-plane estimators share: the road from rows and labels to fitted planes."""

import warnings
from abc import ABC, abstractmethod
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

from frtsvm_core.estimators._preparation import (
    NO_MEMBERSHIPS,
    KernelSettings,
    MembershipSettings,
    effective_gamma,
    feature_map,
    in_given_order,
    memberships,
    training_rows,
)
from frtsvm_core.estimators._validation import check_rows
from frtsvm_core.kernels.feature_map import FeatureMap
from frtsvm_core.kernels.functions import KERNEL_NAMES
from frtsvm_core.solvers.box_qp import SolverOptions
from frtsvm_core.twin.decision import Balance, pairs_of, plane_norms
from frtsvm_core.twin.model import PlaneModel, decide
from frtsvm_core.twin.parallel import one_blas_thread
from frtsvm_core.twin.plane import Plane
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


@dataclass(frozen=True)
class TwinSettings:
    """How one estimator differs from another: what it puts into the common problem."""

    costs: Costs
    multi_class: str
    memberships: MembershipSettings = NO_MEMBERSHIPS
    bias_ridge: float = 0.0


class TwinPlaneClassifier(ClassifierMixin, BaseEstimator, ABC):
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
    penalty: str = "coefficients"  # a parameter of those estimators that let one choose
    balance_: Balance | None = None

    @abstractmethod
    def _settings(self) -> TwinSettings:
        """What this estimator puts into the common problem."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    # --- fit ---------------------------------------------------------------------------------

    def _fit(self, x: Any, y: Any, sample_weight: Any, callback: ProgressCallback | None) -> Self:
        settings, kernel = self._settings(), KernelSettings.of(self)
        data = training_rows(self, x, y, sample_weight)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        specs = plane_specs(data.classes.size, settings.multi_class, settings.costs)
        options = SolverOptions(self.tol, self.max_iter, self.shrinking)
        phase = _Phases(callback, len(specs))
        with one_blas_thread():
            phase("kernel")
            self.gamma_ = effective_gamma(data, kernel)
            features = feature_map(data, kernel, self.gamma_, rng)
            phase("memberships")
            fuzzy = memberships(data, kernel, features, settings.memberships, rng)
            problem = TwinProblem(
                features, data.codes, data.weight, fuzzy.values, settings.bias_ridge
            )
            planes = problem.solve(specs, options, rng, callback)
        self.classes_ = data.classes
        self.memberships_ = in_given_order(fuzzy.values, data)
        self.suspected_noise_ = in_given_order(fuzzy.suspected, data)
        self._keep(features, specs, planes, data.present)
        self._warn_if_not_converged()
        return self

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
            numbered = features.landmarks.ndim == 1
            self.landmarks_ = present[features.landmarks] if numbered else features.landmarks
        self.intercept_ = np.array([plane.b for plane in planes])
        self.plane_norms_ = plane_norms(g)
        self.plane_classes_ = np.array([(spec.own, spec.other) for spec in specs], dtype=np.intp)
        self.balance_ = None
        self.certificates_ = tuple(plane.certificate for plane in planes)
        self.n_iter_ = np.array([c.n_sweeps for c in self.certificates_])
        self.duality_gap_ = np.array([c.relative_gap for c in self.certificates_])
        self.converged_ = np.array([c.converged for c in self.certificates_])
        self.rank_ = features.rank
        self.kernel_residual_ = features.residual

    def _warn_if_not_converged(self) -> None:
        for certificate, (own, _) in zip(self.certificates_, self.plane_classes_, strict=True):
            if not certificate.converged:
                warnings.warn(
                    f"The plane of class {self.classes_.tolist()[own]!r} stopped at max_iter="
                    f"{self.max_iter} sweeps with a KKT violation of "
                    f"{certificate.kkt_violation:.3g} (tol={self.tol:g}) and a relative duality "
                    f"gap of {certificate.relative_gap:.3g}. Scale the features, raise c1, lower "
                    "c3, or allow more sweeps.",
                    ConvergenceWarning,
                    stacklevel=4,
                )

    # --- predict -----------------------------------------------------------------------------

    def decide_by(self, balance: Balance | None) -> Self:
        """Weigh the distances by what was learned on rows that the planes have not seen; None: let
        the nearer plane decide."""
        check_is_fitted(self)
        if balance is not None and balance.offsets.size != pairs_of(self.plane_classes_):
            raise ValueError("the balance is not one of these planes")
        self.balance_ = balance
        return self

    def plane_model(self) -> PlaneModel:
        """The fitted planes as plain arrays."""
        check_is_fitted(self)
        kernel = KernelSettings.of(self).resolved(self.gamma_)
        return PlaneModel(
            kernel=kernel,
            landmarks=None if kernel is None else self.landmarks_,
            coef=self.coef_ if kernel is None else self.dual_coef_,
            intercept=self.intercept_,
            norms=self.plane_norms_,
            plane_classes=self.plane_classes_,
            balance=self.balance_,
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
        `classes_[1]`, weighed by `balance_` if there is one, so positive means `classes_[1]`.
        Otherwise one column per class, largest for the predicted one."""
        model = self.plane_model()
        return model.scores(model.distances(check_rows(self, X, reset=False)))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class whose plane is nearest, or that `balance_` decides for."""
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
