"""Fuzzy SVM of Lin & Wang (2002): libsvm with the memberships as weights of the rows."""

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
    in_caller_order,
    memberships,
    rows_among,
    training_rows,
)
from frtsvm_core.estimators._validation import check_rows
from frtsvm_core.memberships import MEMBERSHIPS

FloatArray = NDArray[np.float64]

_POSITIVE = Interval(Real, 0.0, None, closed="neither")


class FSVMClassifier(ClassifierMixin, BaseEstimator):
    """Fuzzy support vector machine (FSVM) classifier, as a baseline for FR-TSVM.

    This is scikit-learn's `SVC` with the parameter `C` of each row multiplied by the membership of
    the row. The memberships are those of `FRTSVMClassifier`.

    Parameters
    ----------
    kernel : {"linear", "rbf", "poly", "precomputed"}, default="rbf"
        Kernel function. With "precomputed", X is the square kernel matrix in `fit`. In prediction
        it is the matrix of the kernel values of the new rows with all training rows, of shape
        (n_samples, n_samples_fit).
    C : float, default=1.0
        Slack cost, as in `SVC`. With larger values the decision boundary follows the training rows
        more closely.
    membership : {"center", "none", "neighbors"}, default="center"
        Source of the memberships. "center" computes them from the distances to the class centers,
        and suspects rows that are at least as near to the center of another class as to that of
        their own. "neighbors" computes them from the labels of the 10 nearest rows (fewer for
        classes of at most 10 rows), and suspects a row if fewer than half of these have its label.
        With more than 20,000 distinct rows (5,000 with more than 15 features), it searches the
        neighbors in a random sample of that size. "none" sets all memberships to 1, which gives
        the usual support vector machine.
    mu : float in [0, 1], default=0.1
        Factor in the membership of suspected rows; all other rows have the factor 1 - mu. With 0.5
        all rows have the same factor, which is the model of Lin and Wang [1]_ with C halved.
    delta : float, default=1e-10
        Small constant that keeps the membership of the row farthest from its class center above 0.
        Larger values make the memberships of a class more similar. Used with
        ``membership="center"``.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of the kernels "rbf" and "poly". "scale" is ``1 / (n_features * X.var())`` with
        the weighted variance, "auto" is ``1 / n_features``. Larger values make the RBF kernel
        narrower and the decision boundary more flexible.
    degree : int, default=3
        Degree of the polynomial kernel. Larger values make the decision boundary more flexible.
    coef0 : float, default=1.0
        Constant term of the polynomial kernel. Larger values give more weight to the terms of low
        degree.
    rank : "auto", int or None, default="auto"
        Largest rank of the kernel factorization from which the memberships are computed, as in
        `FRTSVMClassifier`. It does not affect the support vector machine.
    kernel_tol : float in [0, 1), default=1e-9
        Share of the trace of the kernel matrix that the factorization may leave out. Larger values
        are faster and give less accurate memberships.
    tol : float, default=1e-9
        Tolerance of libsvm. Larger values are faster and less accurate.
    max_iter : int, default=-1
        Iteration limit of libsvm; -1 for no limit.
    class_weight : dict, "balanced" or None, default=None
        Factors by which the weights of the rows of each class are multiplied. "balanced" uses
        factors inversely proportional to the weight of the classes.
    random_state : int, RandomState instance or None, default=None
        Seed for the pivots of the kernel factorization and the sample of neighbors. Pass an int for
        reproducible results.

    Attributes
    ----------
    svc_ : sklearn.svm.SVC
        The fitted support vector machine. It predicts indices into `classes_`.
    classes_ : ndarray of shape (n_classes,)
        The sorted class labels.
    memberships_ : ndarray of shape (n_samples,)
        Membership of each training row, in the order of X; 0 for rows of weight 0.
    suspected_noise_ : ndarray of shape (n_samples,)
        Whether each training row is suspected of having a wrong label.
    gamma_ : float
        Value of gamma used; 1 for kernels without gamma.
    n_iter_ : ndarray of shape (n_classes * (n_classes - 1) // 2,)
        Number of iterations of libsvm for each pair of classes.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during `fit`. Only if X has feature names that are all strings.

    See Also
    --------
    FRTSVMClassifier : Twin support vector machine with the same memberships.
    sklearn.svm.SVC : Support vector machine without memberships.

    Notes
    -----
    With y_i in {-1, +1} and the memberships s_i (docs/maths.md, section 1), it solves::

        minimize    1/2 |w|^2 + C sum_i s_i xi_i
        subject to  y_i (w.phi(x_i) + b) + xi_i >= 1,  xi_i >= 0

    Rows of membership 0 have no influence.

    References
    ----------
    .. [1] C.-F. Lin and S.-D. Wang, "Fuzzy support vector machines", IEEE Transactions on Neural
           Networks 13(2), 2002.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from frtsvm_core import FSVMClassifier
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> y[:10] = 1 - y[:10]
    >>> model = FSVMClassifier(gamma=2.0, random_state=0).fit(X, y)
    >>> model.predict([[0.0, 1.0], [1.0, -0.5]])
    array([0, 1])
    >>> int(model.suspected_noise_[:10].sum())
    9
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
    # Memberships need only the rows of the feature map; this penalty saves computing the root R.
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
        """Compute the memberships, then fit the support vector machine.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows; for a precomputed kernel, the square kernel matrix.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, at least 0. None means 1 for every row.

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
        kernel = KernelSettings.of(self)
        settings = MembershipSettings(self.membership, self.mu, self.delta)
        data = training_rows(self, X, y, sample_weight)
        self.gamma_ = effective_gamma(data, kernel)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        features = feature_map(data, kernel, self.gamma_, rng)
        fuzzy = memberships(data, kernel, features, settings, rng)
        self.classes_ = data.classes
        self.memberships_ = in_caller_order(fuzzy.values, data)
        self.suspected_noise_ = in_caller_order(fuzzy.suspected, data)
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
        # libsvm drops rows of weight 0 but not their columns in a precomputed kernel, so they are
        # removed here.
        kept = np.flatnonzero(cost > 0.0)
        rows = rows_among(data.rows, kept, precomputed=self.kernel == "precomputed")
        self.svc_ = svc.fit(rows, data.codes[kept], sample_weight=cost[kept])
        # Rows of a precomputed kernel passed to `predict` have one column per row passed to `fit`.
        self._columns = data.present[kept]
        self.n_iter_ = np.maximum(self.svc_.n_iter_, 1)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Compute the decision scores, as in scikit-learn's SVC.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; for a precomputed kernel, their kernel values with all training rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes, positive scores mean ``classes_[1]``; otherwise one column per class.
        """
        check_is_fitted(self)
        scores: FloatArray = self.svc_.decision_function(self._rows(X))
        return scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; for a precomputed kernel, their kernel values with all training rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The predicted class labels.
        """
        check_is_fitted(self)
        labels: NDArray[Any] = self.classes_[self.svc_.predict(self._rows(X))]
        return labels

    def _rows(self, x: Any) -> FloatArray:
        rows = check_rows(self, x, reset=False)
        return rows[:, self._columns] if self.kernel == "precomputed" else rows
