"""Export fitted estimators as plain arrays, numbers and strings, so that they can be stored."""

from typing import Any

import numpy as np

from frtsvm_core.estimators._base import TwinPlaneClassifier
from frtsvm_core.estimators._preparation import KernelSettings
from frtsvm_core.predictor import STATE_VERSION, WEIGHTED_STATE_VERSION


def to_arrays(estimator: TwinPlaneClassifier) -> dict[str, Any]:
    """Export a fitted twin-plane classifier as plain data.

    The result holds everything that prediction needs and no pickled objects of this package, so it
    can be stored in any format for arrays and loaded without scikit-learn or numba.

    Parameters
    ----------
    estimator : FRTSVMClassifier or TSVMClassifier
        A fitted estimator. Its kernel must not be a callable.

    Returns
    -------
    state : dict
        Arrays, numbers and strings:

        - ``state_version`` : int, 1, or 2 if the model has distance weights
        - ``kernel`` : str; ``gamma`` : float; ``degree`` : int; ``coef0`` : float
        - ``n_features`` : int
        - ``classes`` : ndarray of shape (n_classes,), with the dtype of ``classes_``
        - ``coef`` : ndarray of shape (n_planes, n_features) or (n_planes, n_landmarks), the
          attribute ``coef_`` or ``dual_coef_``
        - ``intercept``, ``norms`` : ndarray of shape (n_planes,), the attributes ``intercept_`` and
          ``plane_norms_``
        - ``plane_classes`` : ndarray of shape (n_planes, 2), the attribute ``plane_classes_``
        - ``landmarks`` : ndarray, the attribute ``landmarks_``; absent for the linear kernel
        - ``plane_weights`` : ndarray of shape (n_planes,), the distance weights a and b of each
          pair of classes (docs/maths.md, eq. 20b); only in version 2
        - ``pair_offsets`` : ndarray of shape (n_pairs,), the offset t of each pair; only in
          version 2

    Raises
    ------
    ValueError
        If the kernel is a callable.
    sklearn.exceptions.NotFittedError
        If the estimator is not fitted.

    See Also
    --------
    from_arrays : Build a predictor from the exported state.

    Notes
    -----
    The class labels keep their dtype. To avoid object arrays in the stored file, fit on integer
    codes and store the labels separately.

    Examples
    --------
    >>> import numpy as np
    >>> from frtsvm_core import FRTSVMClassifier, from_arrays, to_arrays
    >>> X = np.array([[-2.0, -1.0], [-1.0, -1.0], [1.0, 1.0], [2.0, 1.0]])
    >>> y = np.array([0, 0, 1, 1])
    >>> state = to_arrays(FRTSVMClassifier("linear").fit(X, y))
    >>> sorted(state)  # doctest: +NORMALIZE_WHITESPACE
    ['classes', 'coef', 'coef0', 'degree', 'gamma', 'intercept', 'kernel', 'n_features',
     'norms', 'plane_classes', 'state_version']
    >>> from_arrays(state).decide(X).codes
    array([0, 0, 1, 1])
    """
    model = estimator.plane_model()
    kernel = KernelSettings.of(estimator)
    if kernel.name == "callable":
        raise ValueError(
            "A model with a callable kernel cannot be exported as plain data. "
            "Fit it with a named kernel or with kernel='precomputed'."
        )
    state: dict[str, Any] = {
        "state_version": STATE_VERSION,
        "kernel": kernel.name,
        "gamma": float(estimator.gamma_),
        "degree": int(kernel.degree),
        "coef0": float(kernel.coef0),
        "n_features": int(estimator.n_features_in_),
        "classes": np.asarray(estimator.classes_),
        "coef": model.coef,
        "intercept": model.intercept,
        "norms": model.norms,
        "plane_classes": model.plane_classes,
    }
    if model.landmarks is not None:
        state["landmarks"] = model.landmarks
    if model.balance is not None:
        state["state_version"] = WEIGHTED_STATE_VERSION
        state["plane_weights"] = model.balance.weights
        state["pair_offsets"] = model.balance.offsets
    return state
