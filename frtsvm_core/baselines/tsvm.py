"""Twin SVM of Jayadeva, Khemchandani & Chandra (2007), a baseline of the FR-TSVM paper."""

from numbers import Real
from typing import Any, ClassVar, Self

from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval

from frtsvm_core.estimators._base import TwinPlaneClassifier, TwinSettings
from frtsvm_core.twin.problem import Costs, ProgressCallback

_POSITIVE = Interval(Real, 0.0, None, closed="neither")


class TSVMClassifier(TwinPlaneClassifier):
    """Twin support vector machine (TSVM) classifier, as a baseline for FR-TSVM.

    It fits one plane f(x) = 0 close to the rows of each class. The rows of the other class are on
    one side of the plane, where abs(f(x)) is at least 1, up to slack. Unlike `FRTSVMClassifier`, it
    has no memberships and no margin term. A small ridge makes the problem solvable. The method is
    that of Jayadeva et al. [1]_; "the FR-TSVM paper" is that of Gao and Wang [2]_.

    Parameters
    ----------
    kernel : {"linear", "rbf", "poly", "sigmoid", "precomputed"} or callable, default="rbf"
        Kernel function. It must be positive semi-definite on the training rows, which "sigmoid" is
        only for some parameters; otherwise `fit` raises ValueError. A callable receives two arrays
        of rows and returns the matrix of kernel values. With "precomputed", X is the square kernel
        matrix in `fit`. In prediction it is the matrix of the kernel values of the new rows with
        all training rows, of shape (n_samples, n_samples_fit).
    c1 : float, default=1.0
        Slack cost of the plane of ``classes_[1]``: the cost of rows of ``classes_[0]`` with
        f(x) > -1 (see Notes). Larger values make the plane follow the rows more closely.
    c2 : float or None, default=None
        Slack cost of the plane of ``classes_[0]``. None means `c1`. With more than two classes and
        ``multi_class="ovo"``, `c1` applies to the later class of each pair and `c2` to the earlier
        one. With more than two classes and ``multi_class="ovr"``, `c1` applies to every plane, and
        `c2` must be None or equal to it.
    ridge : float, default=0.01
        Ridge on the plane and its intercept, lambda in docs/maths.md, section 7. Larger values give
        smoother planes.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of the kernels "rbf", "poly" and "sigmoid". "scale" is ``1 / (n_features *
        X.var())`` with the weighted variance, "auto" is ``1 / n_features``. Larger values make the
        RBF kernel narrower and the decision boundary more flexible. The width g of the FR-TSVM
        paper corresponds to ``gamma = 1 / g**2``.
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
        FR-TSVM paper). With False, it visits all of them in the order of the rows (Algorithm 1).
        The solution is the same; shrinking is usually faster.
    multi_class : {"ovo", "ovr"}, default="ovo"
        Strategy for more than two classes. "ovo" fits two planes for each pair of classes, which
        vote; "ovr" fits one plane for each class against all others and predicts the class of the
        nearest plane.
    class_weight : dict, "balanced" or None, default=None
        Factors by which the weights of the rows of each class are multiplied. "balanced" uses
        factors inversely proportional to the weight of the classes.
    random_state : int, RandomState instance or None, default=None
        Seed for the pivots of the kernel factorization and the order of the sweeps. Pass an int for
        reproducible results.

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
        1 for every training row, 0 for rows of weight 0; present because `FRTSVMClassifier` has it.
    suspected_noise_ : ndarray of shape (n_samples,)
        False for every training row; present because `FRTSVMClassifier` has it.
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
    FRTSVMClassifier : Twin support vector machine with memberships and a margin term.
    FSVMClassifier : Support vector machine with memberships.

    Notes
    -----
    For each class, with f(x) = w.x + b for the linear kernel and f(x) = k(x, X)w + b otherwise, the
    classifier solves::

        minimize    ridge/2 (|w|^2 + b^2) + 1/2 sum_own f(x_i)^2 + c sum_other xi_i
        subject to  sigma f(x_i) + xi_i >= 1,  xi_i >= 0    for all rows i of the other class

    For the plane of ``classes_[1]``, c = c1 and sigma = -1; for the plane of ``classes_[0]``, c =
    c2 and sigma = +1. This is the problem of `FRTSVMClassifier` with all memberships 1, and with a
    ridge on w and b in place of the margin term (docs/maths.md, section 7). The ridge makes the
    matrix H'H + ridge I of the dual invertible; for the linear kernel, H has one row (x_i, 1) per
    row of the own class.

    References
    ----------
    .. [1] Jayadeva, R. Khemchandani and S. Chandra, "Twin Support Vector Machines for Pattern
           Classification", IEEE Transactions on Pattern Analysis and Machine Intelligence 29(5),
           2007.
    .. [2] B.-B. Gao and J.-J. Wang, "A Fast and Robust TSVM for Pattern Classification",
           arXiv:1711.05406, 2017.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from frtsvm_core import TSVMClassifier
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> model = TSVMClassifier(gamma=2.0, random_state=0).fit(X, y)
    >>> model.predict([[0.0, 1.0], [1.0, -0.5]])
    array([0, 1])
    >>> print(f"{model.score(X, y):.3f}")
    0.985
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TwinPlaneClassifier._parameter_constraints,
        "c1": [_POSITIVE],
        "c2": [_POSITIVE, None],
        "ridge": [_POSITIVE],
    }

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        c1: float = 1.0,
        c2: float | None = None,
        ridge: float = 0.01,
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
        self.ridge = ridge
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
            memberships are set to 1, and after every sweep. Planes may be solved in several
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
        costs = Costs(c1=self.ridge, c2=self.ridge, c3=self.c1, c4=c2)
        return TwinSettings(costs, self.multi_class, bias_ridge=self.ridge)
