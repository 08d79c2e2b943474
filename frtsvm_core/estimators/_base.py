"""Base class of the twin-plane estimators: fitting, prediction and fitted attributes."""

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
    in_caller_order,
    memberships,
    training_rows,
)
from frtsvm_core.estimators._validation import check_rows
from frtsvm_core.kernels.feature_map import FeatureMap
from frtsvm_core.kernels.functions import KERNEL_NAMES
from frtsvm_core.solvers.box_qp import SolverOptions
from frtsvm_core.twin.decision import DistanceWeights, count_pairs, plane_norms
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
    """Settings by which the estimators differ; all of them solve the same optimization problem."""

    costs: Costs
    multi_class: str
    memberships: MembershipSettings = NO_MEMBERSHIPS
    bias_ridge: float = 0.0


class TwinPlaneClassifier(ClassifierMixin, BaseEstimator, ABC):
    """Base class of the twin-plane classifiers.

    Subclasses store their parameters and implement `_settings`.
    """

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
    penalty: str = "coefficients"  # overridden by estimators that have it as a parameter
    balance_: DistanceWeights | None = None

    @abstractmethod
    def _settings(self) -> TwinSettings:
        """Return the settings for the current parameters."""

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
        start_phase = _PhaseReporter(callback, len(specs))
        with one_blas_thread():
            start_phase("kernel")
            self.gamma_ = effective_gamma(data, kernel)
            features = feature_map(data, kernel, self.gamma_, rng)
            start_phase("memberships")
            fuzzy = memberships(data, kernel, features, settings.memberships, rng)
            problem = TwinProblem(
                features, data.codes, data.weight, fuzzy.values, settings.bias_ridge
            )
            planes = problem.solve(specs, options, rng, callback)
        self.classes_ = data.classes
        self.memberships_ = in_caller_order(fuzzy.values, data)
        self.suspected_noise_ = in_caller_order(fuzzy.suspected, data)
        self._store_fit(features, specs, planes, data.present)
        self._warn_if_not_converged()
        return self

    def _store_fit(
        self, features: FeatureMap, specs: list[PlaneSpec], planes: list[Plane], present: IntArray
    ) -> None:
        g = np.stack([plane.g for plane in planes])
        coefficients = features.coefficients(g)
        if features.landmarks is None:
            self.coef_ = coefficients
        else:
            self.dual_coef_ = coefficients
            # For a precomputed kernel, landmarks are row numbers of the matrix passed to `fit`.
            are_numbers = features.landmarks.ndim == 1
            self.landmarks_ = present[features.landmarks] if are_numbers else features.landmarks
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
                    f"gap of {certificate.relative_gap:.3g}. Scale the features, raise the "
                    "regularization, lower the slack cost, or raise max_iter.",
                    ConvergenceWarning,
                    stacklevel=4,
                )

    # --- predict -----------------------------------------------------------------------------

    def set_distance_weights(self, weights: DistanceWeights | None) -> Self:
        """Set the weights of the distances in the decision rule.

        Parameters
        ----------
        weights : frtsvm_core.twin.decision.DistanceWeights or None
            Weights learned on rows that were not used to fit the planes, for the same classes and
            the same `multi_class`. `FRTSVMSearchCV` learns them, as ``search.balance_.balance``.
            None restores the rule of the nearest plane.

        Returns
        -------
        self : object
            The fitted estimator, with `balance_` set to `weights`.

        Raises
        ------
        ValueError
            If the weights do not match the fitted planes. One-vs-rest planes for more than two
            classes have no weights.
        """
        check_is_fitted(self)
        n_pairs = count_pairs(self.plane_classes_)
        if weights is not None and weights.offsets.size != n_pairs:
            raise ValueError(
                f"The distance weights are for {weights.offsets.size} pairs of classes, but the "
                f"fitted planes form {n_pairs}. Use weights learned for the same classes with "
                "multi_class='ovo'."
            )
        self.balance_ = weights
        return self

    def plane_model(self) -> PlaneModel:
        """Return the fitted planes as plain arrays.

        Returns
        -------
        model : frtsvm_core.twin.model.PlaneModel
            Coefficients, intercepts and norms of the planes, with the kernel and the landmarks. Use
            :func:`~frtsvm_core.to_arrays` to store a model.
        """
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
        """Compute the distance of each row to the plane of each class.

        Available with one plane per class: for two classes, and for ``multi_class="ovr"``. With
        one-vs-one and more classes, each class has several planes; use `decision_function`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; for a precomputed kernel, their kernel values with all training rows.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_classes)
            abs(f(x)) divided by the norm of the plane, in the order of `classes_`, without the
            weights of `balance_`.

        Raises
        ------
        AttributeError
            If a class has more than one plane.
        """
        model = self.plane_model()
        if not model.one_plane_per_class:
            raise AttributeError(
                "distances is available only with one plane per class: for two classes, or with "
                "multi_class='ovr'. Use decision_function instead."
            )
        return model.distances(check_rows(self, X, reset=False))

    def decision_function(self, X: Any) -> FloatArray:
        """Compute the decision scores.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; for a precomputed kernel, their kernel values with all training rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes, the distance to the plane of ``classes_[0]`` minus the distance to the
            plane of ``classes_[1]``; a positive score means ``classes_[1]``. Otherwise one column
            per class, largest for the predicted class: with "ovo" the number of votes for the class
            plus a term below one third that breaks ties, and with "ovr" the distance to the nearest
            plane of another class minus the distance to its own plane. If `balance_` is set, it
            weights the distances.
        """
        model = self.plane_model()
        return model.scores(model.distances(check_rows(self, X, reset=False)))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row: the class with the nearest plane.

        With one-vs-one and more than two classes, it is the class with the most votes. Each pair of
        classes votes for the class with the nearer plane.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; for a precomputed kernel, their kernel values with all training rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The predicted class labels. If `balance_` is set, it weights the distances.
        """
        check_is_fitted(self)
        labels: NDArray[Any] = self.classes_[decide(self.decision_function(X))]
        return labels


class _PhaseReporter:
    """Report the start of the phases "kernel" and "memberships" to the callback."""

    def __init__(self, callback: ProgressCallback | None, n_planes: int) -> None:
        self._callback, self._n_planes = callback, n_planes

    def __call__(self, phase: str) -> None:
        if self._callback is not None:
            self._callback(Progress(phase, 0, self._n_planes, 0, np.inf, 0))
