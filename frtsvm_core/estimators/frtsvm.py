"""The Fast and Robust Twin Support Vector Machine."""

from numbers import Real
from typing import Any, ClassVar, Self

from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from frtsvm_core.estimators._base import TwinPlaneClassifier, TwinSettings
from frtsvm_core.estimators._preparation import MembershipSettings
from frtsvm_core.kernels.feature_map import PENALTIES
from frtsvm_core.memberships import MEMBERSHIPS
from frtsvm_core.twin.problem import Costs, ProgressCallback

_POSITIVE = Interval(Real, 0.0, None, closed="neither")


class FRTSVMClassifier(TwinPlaneClassifier):
    """Two non-parallel planes, one close to each class, trained with fuzzy memberships.

    For each class it solves, exactly and with a certificate (docs/maths.md, eq. 4),

        min  c/2 |w|^2 + 1/2 sum_own f(x_i)^2 + sum_other C_i xi_i,   |f| >= 1 - xi on the other side,

    with f(x) = w.x + b, or k(x, X)w + b for a kernel, and C_i = c3 s_i where the membership s_i
    weakens rows that look like noise. A row is given the class whose plane is nearer.

    Parameters
    ----------
    kernel : {"linear", "rbf", "poly", "sigmoid", "precomputed"} or callable, default="rbf"
    c1, c2 : float, default=1.0, None
        Regularization of the planes of `classes_[1]` and `classes_[0]`; c2=None means c1.
    c3, c4 : float, default=1.0, None
        Cost of a row of the other class on the wrong side of the margin; c4=None means c3.
    membership : {"center", "none", "neighbors"}, default="center"
        The paper's memberships, none, or those from the labels of the nearest rows.
    penalty : {"coefficients", "function"}, default="coefficients"
        What c1 and c2 weigh for a kernel: the paper's |w|^2, or w'Kw, the same as for the linear
        kernel in the kernel's own space, whose root the distances are divided by. "function" is mostly
        more accurate; its c1 is smaller.
    mu : float in [0, 1], default=0.1
        What a suspected row keeps of its membership; the others keep 1 - mu.
    delta : float, default=1e-10
        Keeps the membership of the farthest row above 0.
    gamma : {"scale", "auto"} or float, default="scale"
        As in scikit-learn; the paper's g is gamma = 1/g^2.
    degree, coef0 : int, float, default=3, 1.0
        Of the polynomial kernel (and coef0 of the sigmoid).
    rank : "auto", int or None, default="auto"
        Rank of the kernel factorization. "auto" is exact up to 256 rows; above, it stops at
        `kernel_tol`, or where a fit would take more than about a second of one core
        (`kernel_residual_` says which). An int is a cap, None factors the kernel to rounding.
    kernel_tol : float, default=1e-6
        Share of the kernel's trace that "auto" may leave out.
    tol : float, default=1e-3
        Largest spread of the projected gradient at which the coordinate descent stops. A last
        Newton step then usually brings it to rounding.
    max_iter : int, default=1000
        Most sweeps per plane.
    shrinking : bool, default=True
        Random order and shrinking (Algorithm 2), or plain sweeps (Algorithm 1).
    multi_class : {"ovo", "ovr"}, default="ovo"
    class_weight : dict, "balanced" or None, default=None
        Multiplies the weights of the rows of a class.
    random_state : int, RandomState or None, default=None
        Draws the pivots of the kernel and the order of the sweeps.

    Attributes
    ----------
    classes_ : the labels, sorted
    coef_, intercept_ : the planes, one row each (linear kernel)
    landmarks_, dual_coef_, intercept_ : f(x) = k(x, landmarks_).dual_coef_ + intercept_ (other kernels)
    plane_classes_ : (n_planes, 2) class numbers: own, and opposing (-1 for all others); for two
        classes row k is the plane of `classes_[k]`
    plane_norms_ : denominators of the distances
    memberships_, suspected_noise_ : per training row, in the caller's order
    certificates_ : per plane: primal, dual, gap, KKT violation
    duality_gap_, converged_, n_iter_ : the same, as arrays
    rank_, kernel_residual_ : rank of the kernel factor, and the share of the trace it leaves out
    gamma_ : the kernel width used
    balance_ : None, or weights of the distances that a search has learned (`decide_by`)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TwinPlaneClassifier._parameter_constraints,
        "c1": [_POSITIVE],
        "c2": [_POSITIVE, None],
        "c3": [_POSITIVE],
        "c4": [_POSITIVE, None],
        "penalty": [StrOptions(set(PENALTIES))],
        "membership": [StrOptions(set(MEMBERSHIPS))],
        "mu": [Interval(Real, 0.0, 1.0, closed="both")],
        "delta": [_POSITIVE],
    }

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        c1: float = 1.0,
        c2: float | None = None,
        c3: float = 1.0,
        c4: float | None = None,
        penalty: str = "coefficients",
        membership: str = "center",
        mu: float = 0.1,
        delta: float = 1e-10,
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        rank: int | str | None = "auto",
        kernel_tol: float = 1e-6,
        tol: float = 1e-3,
        max_iter: int = 1000,
        shrinking: bool = True,
        multi_class: str = "ovo",
        class_weight: Any = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.c1 = c1
        self.c2 = c2
        self.c3 = c3
        self.c4 = c4
        self.penalty = penalty
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
        self.shrinking = shrinking
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, callback: ProgressCallback | None = None
    ) -> Self:
        """Fit the planes. `callback` is called with a `Progress` at every sweep; what it raises ends
        the fit."""
        return self._fit(X, y, sample_weight, callback)

    def _settings(self) -> TwinSettings:
        c2 = self.c1 if self.c2 is None else self.c2
        c4 = self.c3 if self.c4 is None else self.c4
        return TwinSettings(
            costs=Costs(self.c1, c2, self.c3, c4),
            multi_class=self.multi_class,
            memberships=MembershipSettings(self.membership, self.mu, self.delta),
        )
