"""Prepare the input of `fit`: validated rows, classes, weights, feature map and memberships."""

from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frtsvm_core.estimators._validation import (
    check_rows_and_labels,
    check_weights,
    encode_classes,
)
from frtsvm_core.kernels.feature_map import FeatureMap, kernel_map, linear_map
from frtsvm_core.kernels.functions import Kernel, resolve_gamma, resolve_kernel
from frtsvm_core.memberships import (
    Memberships,
    center_memberships,
    neighbor_memberships,
    no_memberships,
)
from frtsvm_core.twin.parallel import one_openmp_thread

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

# Up to this many rows, neighbors are found within milliseconds, and starting OpenMP threads would
# take longer.
_FEW_ROWS = 5000


@dataclass(frozen=True)
class KernelSettings:
    """The kernel parameters of an estimator."""

    kernel: Any
    gamma: float | str
    degree: int
    coef0: float
    rank: int | str | None = "auto"
    tol: float = 1e-6
    penalty: str = "coefficients"

    @classmethod
    def of(cls, estimator: Any) -> "KernelSettings":
        """Return the kernel parameters of `estimator`."""
        return cls(
            estimator.kernel,
            estimator.gamma,
            estimator.degree,
            estimator.coef0,
            estimator.rank,
            estimator.kernel_tol,
            estimator.penalty,
        )

    @property
    def name(self) -> str:
        """Name of the kernel; "callable" for a function."""
        return self.kernel if isinstance(self.kernel, str) else "callable"

    def resolved(self, gamma: float) -> Kernel | None:
        """Return the kernel for a numerical gamma; None for the linear kernel."""
        return resolve_kernel(self.kernel, gamma=gamma, degree=self.degree, coef0=self.coef0)


@dataclass(frozen=True)
class MembershipSettings:
    """The membership parameters of an estimator."""

    membership: str = "none"
    mu: float = 0.1
    delta: float = 1e-10


NO_MEMBERSHIPS = MembershipSettings()


@dataclass(frozen=True)
class TrainingRows:
    """Training rows with a positive weight."""

    rows: FloatArray
    classes: NDArray[Any]
    codes: IntArray  # class number of each row
    weight: FloatArray
    present: IntArray  # numbers of these rows among all rows passed to `fit`
    n_given: int  # number of all rows passed to `fit`


def training_rows(estimator: Any, x: Any, y: Any, sample_weight: Any) -> TrainingRows:
    """Validate the input of `fit`; return the rows with their classes and weights."""
    return weighted_rows(estimator, *check_rows_and_labels(estimator, x, y), sample_weight)


def weighted_rows(
    estimator: Any, rows: FloatArray, labels: NDArray[Any], sample_weight: Any
) -> TrainingRows:
    """Compute weights and class numbers of validated rows, and drop the rows of weight 0."""
    precomputed = isinstance(estimator.kernel, str) and estimator.kernel == "precomputed"
    if precomputed and rows.shape[0] != rows.shape[1]:
        raise ValueError(
            "Precomputed matrix must be a square matrix. "
            f"Input is a {rows.shape[0]}x{rows.shape[1]} matrix."
        )
    weight = check_weights(sample_weight, estimator.class_weight, rows, labels)
    n_given = rows.shape[0]
    present = np.flatnonzero(weight > 0.0)
    classes, codes = encode_classes(labels[present])
    if present.size < n_given:
        rows = rows_among(rows, present, precomputed=precomputed)
    return TrainingRows(rows, classes, codes, weight[present], present, n_given)


def rows_among(rows: FloatArray, index: IntArray, *, precomputed: bool) -> FloatArray:
    """Return rows[index]; for a precomputed kernel, rows and columns of `index`."""
    chosen: FloatArray = rows[np.ix_(index, index)] if precomputed else rows[index]
    return chosen


def effective_gamma(data: TrainingRows, kernel: KernelSettings) -> float:
    """Return gamma as a number; 1 for kernels without gamma."""
    if kernel.name not in ("rbf", "poly", "sigmoid"):
        return 1.0
    return resolve_gamma(kernel.gamma, data.rows, data.weight)


def feature_map(
    data: TrainingRows, kernel: KernelSettings, gamma: float, rng: np.random.Generator
) -> FeatureMap:
    """Return the feature map of the kernel for the training rows."""
    resolved = kernel.resolved(gamma)
    if resolved is None:
        return linear_map(data.rows)
    return kernel_map(
        resolved,
        data.rows,
        data.weight,
        rank=kernel.rank,
        tol=kernel.tol,
        penalty=kernel.penalty,
        rng=rng,
    )


def memberships(
    data: TrainingRows,
    kernel: KernelSettings,
    features: FeatureMap,
    settings: MembershipSettings,
    rng: np.random.Generator,
) -> Memberships:
    """Compute the memberships of the training rows."""
    if settings.membership == "none":
        return no_memberships(data.codes.size)
    linear = kernel.name == "linear"
    if settings.membership == "neighbors":
        # Neighbors in the feature space of the RBF kernel are the same as in the input space.
        space = data.rows if kernel.name in ("linear", "rbf") else features.rows
        with one_openmp_thread() if space.shape[0] <= _FEW_ROWS else nullcontext():
            return neighbor_memberships(space, data.codes, data.weight, mu=settings.mu, rng=rng)
    return center_memberships(
        data.rows if linear else features.rows,
        data.codes,
        data.weight,
        mu=settings.mu,
        delta=settings.delta,
        feature_space=not linear,
    )


def in_caller_order(values: NDArray[Any], data: TrainingRows) -> NDArray[Any]:
    """Return one value per row passed to `fit`; rows of weight 0 get 0."""
    given = np.zeros(data.n_given, dtype=values.dtype)
    given[data.present] = values
    return given
