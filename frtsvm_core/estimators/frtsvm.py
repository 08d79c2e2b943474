"""Fast and robust twin support vector machine (FR-TSVM)."""

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
    """Fast and robust twin support vector machine (FR-TSVM) classifier.

    The classifier fits one plane close to the rows of each class and away from the rows of the
    other class. A row gets the class of the nearest plane. Fuzzy memberships reduce the influence
    of rows whose labels are probably wrong. Each fitted plane comes with a certificate, which
    bounds how far its objective is from the optimum.

    The method is that of Gao and Wang [1]_, called "the paper" below.

    Parameters
    ----------
    kernel : {"linear", "rbf", "poly", "sigmoid", "precomputed"} or callable, default="rbf"
        Kernel function. It must be positive semi-definite on the training rows, which "sigmoid" is
        only for some parameters; otherwise `fit` raises ValueError. A callable receives two arrays
        of rows and returns the matrix of kernel values. With "precomputed", X is the square kernel
        matrix in `fit`. In prediction it is the matrix of the kernel values of the new rows with
        all training rows, of shape (n_samples, n_samples_fit).
    c1 : float, default=1.0
        Regularization of the plane of ``classes_[1]``. Larger values give smoother planes.
    c2 : float or None, default=None
        Regularization of the plane of ``classes_[0]``. None means `c1`.
    c3 : float, default=1.0
        Slack cost of the plane of ``classes_[1]``: the cost of rows of ``classes_[0]`` with
        f(x) > -1 (see Notes). Larger values make the plane follow the rows more closely, wrong
        labels included, and the fit slower.
    c4 : float or None, default=None
        Slack cost of the plane of ``classes_[0]``. None means `c3`. With more than two classes and
        ``multi_class="ovo"``, `c1` and `c3` apply to the later class of each pair, `c2` and `c4` to
        the earlier one. With more than two classes and ``multi_class="ovr"``, `c1` and `c3` apply
        to every plane, and `c2` and `c4` must be None or equal to them.
    penalty : {"coefficients", "function"}, default="coefficients"
        Term that `c1` and `c2` multiply for kernels other than "linear": "coefficients" is the
        paper's |w|^2; "function" is w'Kw, the squared norm of the plane in feature space, which is
        also the square of the norm that distances are divided by. "function" is usually more
        accurate (docs/decisions/0006-penalty-of-the-function.md) and needs smaller values of `c1`.
    membership : {"center", "none", "neighbors"}, default="center"
        Source of the memberships, by which the slack costs of the rows are multiplied. "center"
        computes them from the distances to the class centers, as in the paper, and suspects rows
        that are at least as near to the center of another class as to that of their own.
        "neighbors" computes them from the labels of the 10 nearest rows (fewer for classes of at
        most 10 rows), and suspects a row if fewer than half of these have its label. With more than
        20,000 distinct rows (5,000 with more than 15 features), it searches the neighbors in a
        random sample of that size. "none" sets all memberships to 1 and suspects no row.
    mu : float in [0, 1], default=0.1
        Factor in the membership of suspected rows; all other rows have the factor 1 - mu. Smaller
        values reduce the influence of suspected rows. With 0 the slack of suspected rows costs
        nothing, with 0.5 they are treated like all others.
    delta : float, default=1e-10
        Small constant that keeps the membership of the row farthest from its class center above 0.
        Larger values make the memberships of a class more similar. Used with
        ``membership="center"``.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of the kernels "rbf", "poly" and "sigmoid". "scale" is ``1 / (n_features *
        X.var())`` with the weighted variance, "auto" is ``1 / n_features``. Larger values make the
        RBF kernel narrower and the decision boundary more flexible. The width g of the paper
        corresponds to ``gamma = 1 / g**2``.
    degree : int, default=3
        Degree of the polynomial kernel. Larger values make the decision boundary more flexible.
    coef0 : float, default=1.0
        Constant term of the kernels "poly" and "sigmoid". Larger values give more weight to the
        terms of low degree.
    rank : "auto", int or None, default="auto"
        Largest rank of the kernel factorization. "auto" is exact up to 256 rows; with more rows it
        stops at `kernel_tol`, or at the rank at which a fit would take more than about one second
        of one CPU core. An int is an upper limit; larger values are more accurate, and take more
        time and memory. None factors the kernel to the level of rounding errors.
        `kernel_residual_` reports the approximation error.
    kernel_tol : float in [0, 1), default=1e-6
        Share of the trace of the kernel matrix that ``rank="auto"`` and an int may leave out.
        Larger values are faster and less accurate.
    tol : float, default=1e-3
        Tolerance of the coordinate descent: the largest allowed difference between the largest and
        the smallest projected gradient. The margin is 1, so the scale of the gradients does not
        depend on the data. The active-set method that follows usually reduces the duality gap to
        the level of rounding errors (about 1e-14) whatever the value of `tol`.
    max_iter : int, default=1000
        Largest number of sweeps (passes of the coordinate descent over the rows) per plane. If a
        plane has not converged by then, a `ConvergenceWarning` reports its duality gap.
    shrinking : bool, default=True
        With True, the coordinate descent visits the dual variables, one per row of the other class,
        in random order, and leaves out those that probably stay at a bound (Algorithm 2 of the
        paper). With False, it visits all of them in the order of the rows (Algorithm 1). The
        solution is the same; shrinking is usually faster.
    multi_class : {"ovo", "ovr"}, default="ovo"
        Strategy for more than two classes. "ovo" fits two planes for each pair of classes, which
        vote; "ovr" fits one plane for each class against all others and predicts the class of the
        nearest plane.
    class_weight : dict, "balanced" or None, default=None
        Factors by which the weights of the rows of each class are multiplied. "balanced" uses
        factors inversely proportional to the weight of the classes.
    random_state : int, RandomState instance or None, default=None
        Seed for the pivots of the kernel factorization, the sample of neighbors and the order of
        the sweeps. Pass an int for reproducible results.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The sorted class labels.
    coef_ : ndarray of shape (n_planes, n_features)
        Directions w of the planes. Only for the linear kernel.
    dual_coef_ : ndarray of shape (n_planes, n_landmarks)
        Coefficients of the planes: ``f(x) = k(x, landmarks_) @ dual_coef_.T + intercept_``. Only
        for other kernels.
    landmarks_ : ndarray of shape (n_landmarks, n_features) or (n_landmarks,)
        Training rows at which the kernel is evaluated in prediction; for a precomputed kernel,
        their row numbers. Only for kernels other than "linear".
    intercept_ : ndarray of shape (n_planes,)
        Intercepts b of the planes.
    plane_classes_ : ndarray of shape (n_planes, 2)
        For each plane, its own class and the opposing class, as indices into `classes_`; the
        opposing class -1 stands for all other classes. n_planes is 2 for two classes, n_classes
        with "ovr", and n_classes * (n_classes - 1) with "ovo". For two classes and with "ovr",
        plane k belongs to ``classes_[k]``. With "ovo", planes 2p and 2p + 1 belong to the first
        and the second class of the p-th pair, in the order (0, 1), (0, 2), and so on.
    plane_norms_ : ndarray of shape (n_planes,)
        Norms by which abs(f(x)) is divided to give a distance.
    memberships_ : ndarray of shape (n_samples,)
        Membership of each training row, in the order of X; 0 for rows of weight 0.
    suspected_noise_ : ndarray of shape (n_samples,)
        Whether each training row is suspected of having a wrong label.
    certificates_ : tuple of Certificate
        Optimality certificate of each plane: primal and dual objective, gap, KKT violation.
    duality_gap_ : ndarray of shape (n_planes,)
        Relative duality gap of each plane, an upper bound on its suboptimality.
    converged_ : ndarray of shape (n_planes,)
        Whether the solver met its tolerance for each plane.
    n_iter_ : ndarray of shape (n_planes,)
        Number of coordinate descent sweeps for each plane.
    rank_ : int
        Rank of the kernel factorization; for the linear kernel, the number of coordinates.
    kernel_residual_ : float
        Share of the trace of the kernel matrix that the factorization leaves out.
    gamma_ : float
        Value of gamma used; 1 for kernels without gamma.
    balance_ : frtsvm_core.twin.decision.DistanceWeights or None
        Weights of the distances in the decision rule, set by `set_distance_weights`. None, the
        value after `fit`, means that the nearest plane decides.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during `fit`. Only if X has feature names that are all strings.

    See Also
    --------
    TSVMClassifier : Twin support vector machine without memberships and margin term.
    FSVMClassifier : Support vector machine with the same memberships.
    frtsvm_core.model_selection.FRTSVMSearchCV : Parameter search for this classifier.
    frtsvm_core.distributed.fit_distributed : Fit of the linear kernel on partitioned data.

    Notes
    -----
    For each class, with f(x) = w.x + b for the linear kernel and f(x) = k(x, X)w + b otherwise, the
    classifier solves (docs/maths.md, eq. 4)::

        minimize    c/2 |w|^2 + 1/2 sum_own f(x_i)^2 + sum_other C_i xi_i
        subject to  sigma f(x_i) + xi_i >= 1,  xi_i >= 0    for all rows i of the other class

    The first term is the margin term. For the plane of ``classes_[1]``, c = c1, C_i = c3 s_i and
    sigma = -1; for the plane of ``classes_[0]``, c = c2, C_i = c4 s_i and sigma = +1. s_i is the
    membership of the row. With ``penalty="function"``, w'Kw replaces |w|^2 for kernels other than
    "linear". The predicted class is that of the plane with the smallest abs(f(x)) / norm, where
    norm is |w| for the linear kernel and sqrt(w'Kw) otherwise.

    The dual problem is solved by coordinate descent with shrinking, followed by an active-set
    method. Kernels are factored by randomly pivoted Cholesky [2]_, so memory grows with n_samples
    times `rank_`, not with the square of n_samples. A row of weight 2 has the same effect as the
    row repeated twice, and a row of weight 0 has no effect.

    References
    ----------
    .. [1] B.-B. Gao and J.-J. Wang, "A Fast and Robust TSVM for Pattern Classification",
           arXiv:1711.05406, 2017.
    .. [2] Y. Chen, E. N. Epperly, J. A. Tropp and R. J. Webber, "Randomly pivoted Cholesky:
           Practical approximation of a kernel matrix with few entry evaluations",
           arXiv:2207.06503, 2022.

    Examples
    --------
    The first ten of 200 labels are wrong. `suspected_noise_` marks nine of the ten:

    >>> from sklearn.datasets import make_moons
    >>> from frtsvm_core import FRTSVMClassifier
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> y[:10] = 1 - y[:10]
    >>> model = FRTSVMClassifier(gamma=2.0, random_state=0).fit(X, y)
    >>> model.predict([[0.0, 1.0], [1.0, -0.5]])
    array([0, 1])
    >>> int(model.suspected_noise_[:10].sum())
    9
    >>> print(f"{model.score(X[10:], y[10:]):.3f}")
    0.947
    >>> bool(model.duality_gap_.max() < 1e-10)
    True
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
        """Fit the planes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows; for a precomputed kernel, the square kernel matrix.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, at least 0. None means 1 for every row.
        callback : callable, default=None
            Function that is called with a `Progress` when the kernel is factored, when the
            memberships are computed, and after every sweep. Planes may be solved in several
            threads, but the calls never overlap. An exception that the function raises ends the fit
            and is passed on to the caller.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If a parameter is outside its range, X contains NaN, infinity or values above 1e150 in
            magnitude, fewer than two classes have rows of positive weight, or the kernel is not
            finite or not positive semi-definite for these rows.
        """
        return self._fit(X, y, sample_weight, callback)

    def _settings(self) -> TwinSettings:
        c2 = self.c1 if self.c2 is None else self.c2
        c4 = self.c3 if self.c4 is None else self.c4
        return TwinSettings(
            costs=Costs(self.c1, c2, self.c3, c4),
            multi_class=self.multi_class,
            memberships=MembershipSettings(self.membership, self.mu, self.delta),
        )
