"""The fuzzy SVM of Lin & Wang (2002): libsvm with the memberships as row weights."""

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.svm import SVC
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from frtsvm_core.estimators._preparation import (
    KernelSettings,
    MembershipSettings,
    effective_gamma,
    feature_map,
    in_given_order,
    memberships,
    rows_among,
    training_rows,
)
from frtsvm_core.estimators._validation import check_rows
from frtsvm_core.memberships import MEMBERSHIPS

FloatArray = NDArray[np.float64]

_POSITIVE = Interval(Real, 0.0, None, closed="neither")


class FSVMClassifier(ClassifierMixin, BaseEstimator):
    """A support vector machine whose slack costs C s_i, with the memberships of FR-TSVM.

    `mu=0.5` treats suspected rows like all others, which is the membership of Lin & Wang with C halved.

    Parameters
    ----------
    C : float, default=1.0
    membership, mu, delta, gamma, degree, coef0, rank, kernel_tol, class_weight, random_state :
        as in `FRTSVMClassifier`; rank and kernel_tol apply to the memberships, not to the SVM
    tol : float, default=1e-9
        Tolerance of libsvm.
    max_iter : int, default=-1
        Limit of libsvm; -1 for none.

    Attributes
    ----------
    svc_ : the fitted scikit-learn SVC
    classes_, memberships_, suspected_noise_, gamma_ : as in `FRTSVMClassifier`
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions({"linear", "rbf", "poly", "precomputed"})],
        "C": [_POSITIVE],
        "membership": [StrOptions(set(MEMBERSHIPS))],
        "mu": [Interval(Real, 0.0, 1.0, closed="both")],
        "delta": [_POSITIVE],
        "gamma": [StrOptions({"scale", "auto"}), _POSITIVE],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "rank": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left"), None],
        "kernel_tol": [Interval(Real, 0.0, 1.0, closed="left")],
        "tol": [_POSITIVE],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "random_state": ["random_state"],
    }
    # Memberships need the rows of the feature map alone, and this one costs nothing besides.
    penalty: ClassVar[str] = "function"

    def __init__(
        self,
        kernel: str = "rbf",
        *,
        C: float = 1.0,
        membership: str = "center",
        mu: float = 0.1,
        delta: float = 1e-10,
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        rank: int | str | None = "auto",
        kernel_tol: float = 1e-9,
        tol: float = 1e-9,
        max_iter: int = -1,
        class_weight: Any = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.membership = membership
        self.mu = mu
        self.delta = delta
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.rank = rank
        self.kernel_tol = kernel_tol
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Compute the memberships, then fit the SVM with them."""
        kernel = KernelSettings.of(self)
        settings = MembershipSettings(self.membership, self.mu, self.delta)
        data = training_rows(self, X, y, sample_weight)
        self.gamma_ = effective_gamma(data, kernel)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        features = feature_map(data, kernel, self.gamma_, rng)
        fuzzy = memberships(data, kernel, features, settings, rng)
        self.classes_ = data.classes
        self.memberships_ = in_given_order(fuzzy.values, data)
        self.suspected_noise_ = in_given_order(fuzzy.suspected, data)
        svc = SVC(
            kernel=self.kernel,
            C=self.C,
            gamma=self.gamma_,
            degree=self.degree,
            coef0=self.coef0,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        cost = fuzzy.values * data.weight
        # libsvm leaves out rows that cost nothing, and would then misread the columns of a kernel.
        kept = np.flatnonzero(cost > 0.0)
        rows = rows_among(data.rows, kept, precomputed=self.kernel == "precomputed")
        self.svc_ = svc.fit(rows, data.codes[kept], sample_weight=cost[kept])
        # Column numbers of new precomputed rows are those of the caller's rows.
        self._columns = data.present[kept]
        self.n_iter_ = np.maximum(self.svc_.n_iter_, 1)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """As scikit-learn's SVC: positive means `classes_[1]`, or one column per class."""
        check_is_fitted(self)
        scores: FloatArray = self.svc_.decision_function(self._rows(X))
        return scores

    def predict(self, X: Any) -> NDArray[Any]:
        check_is_fitted(self)
        labels: NDArray[Any] = self.classes_[self.svc_.predict(self._rows(X))]
        return labels

    def _rows(self, x: Any) -> FloatArray:
        rows = check_rows(self, x, reset=False)
        return rows[:, self._columns] if self.kernel == "precomputed" else rows
