"""Predict with a model given as plain arrays, without loading the training code."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frtsvm_core.finite import require_finite
from frtsvm_core.kernels.functions import KERNEL_NAMES, RBF, resolve_kernel
from frtsvm_core.twin.decision import DistanceWeights, count_pairs
from frtsvm_core.twin.model import PlaneModel, decide

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

#: Versions of the state that `to_arrays` exports. Version 2 is used only for models with distance
#: weights, so that older releases can still read all other models.
STATE_VERSION, WEIGHTED_STATE_VERSION = 1, 2


@dataclass(frozen=True)
class Decision:
    """Predictions for some rows.

    Attributes
    ----------
    codes : ndarray of shape (n_rows,)
        Predicted class of each row, as an index into `classes_`.
    scores : ndarray of shape (n_rows,) or (n_rows, n_classes)
        Decision scores, as returned by `FRTSVMClassifier.decision_function`.
    distances : ndarray of shape (n_rows, n_classes) or None
        Distances to the planes of the classes, without the weights of `balance_`; None if a class
        has more than one plane.
    """

    codes: IntArray
    scores: FloatArray
    distances: FloatArray | None


def concatenate_decisions(parts: Sequence[Decision]) -> Decision:
    """Concatenate decisions of one model for consecutive rows."""
    distances = [part.distances for part in parts if part.distances is not None]
    return Decision(
        np.concatenate([part.codes for part in parts]),
        np.concatenate([part.scores for part in parts]),
        np.concatenate(distances) if distances else None,
    )


@dataclass(frozen=True)
class FittedPredictor:
    """Predictor for a model given as plain arrays, which may be read-only memory maps.

    Create it with :func:`from_arrays`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_features_in_ : int
        Number of features that rows must have.
    model : frtsvm_core.twin.model.PlaneModel
        The fitted planes.

    Examples
    --------
    >>> import numpy as np
    >>> from frtsvm_core import FRTSVMClassifier, from_arrays, to_arrays
    >>> X = np.array([[-2.0, -1.0], [-1.0, -1.0], [1.0, 1.0], [2.0, 1.0]])
    >>> y = np.array(["no", "no", "yes", "yes"])
    >>> predictor = from_arrays(to_arrays(FRTSVMClassifier("linear").fit(X, y)))
    >>> decision = predictor.decide(np.array([[1.5, 0.5]]))
    >>> predictor.classes_[decision.codes]
    array(['yes'], dtype='<U3')
    """

    classes_: NDArray[Any]
    n_features_in_: int
    model: PlaneModel

    @property
    def work_per_row(self) -> int:
        """Approximate number of multiplications per row, to estimate the time of a prediction."""
        n_planes, width = self.model.coef.shape
        per_input = n_planes if self.model.kernel is None else n_planes + self.n_features_in_
        return int(width * per_input)

    def is_bounded(self, bound: float) -> bool:
        """Whether no distance can overflow for rows whose values are at most `bound` in magnitude.

        Such rows need no check of the results.

        Parameters
        ----------
        bound : float
            Limit of the magnitude of the values in the rows.

        Returns
        -------
        bounded : bool
            True for the linear and RBF kernels if the sum of the magnitudes of all coefficients,
            and the magnitude of every intercept, landmark value and offset, is below `bound`, and
            every plane norm is above ``1 / bound``. False otherwise.
        """
        model = self.model
        if not (model.kernel is None or isinstance(model.kernel, RBF)):
            return False
        landmarks = 0.0 if model.landmarks is None else np.abs(model.landmarks).max(initial=0.0)
        largest = max(np.abs(model.coef).sum(), np.abs(model.intercept).max(), landmarks)
        if model.balance is not None:
            largest = max(largest, np.abs(model.balance.offsets).max())
        return bool(largest < bound and model.norms.min() > 1.0 / bound)

    def prepare(self) -> int:
        """Compute the arrays that the first prediction would compute; return their size in bytes.

        The call is optional; it makes the first prediction as fast as all others.
        """
        return self.model.prepare()

    def decide(self, x: FloatArray) -> Decision:
        """Predict classes, scores and distances.

        Parameters
        ----------
        x : ndarray of shape (n_rows, n_features), dtype float64
            Finite numbers.

        Returns
        -------
        decision : frtsvm_core.predictor.Decision
            The predicted classes as indices into `classes_` (`codes`), the decision `scores`, and
            the `distances` to the plane of each class (None if a class has more than one plane).

        Raises
        ------
        ValueError
            If the number of features is wrong, or a cell is NaN, infinite or above 1e150 in
            magnitude.
        """
        if x.ndim != 2 or x.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has shape {x.shape}, but the model expects {self.n_features_in_} features as "
                "input. Pass a two-dimensional array with the columns of the training data."
            )
        require_finite(x)
        return self.decide_unchecked(x)

    def decide_unchecked(self, x: FloatArray) -> Decision:
        """Predict like `decide`, for rows whose shape and values have already been checked."""
        distances = self.model.distances(x)
        scores = self.model.scores(distances)
        per_class = distances if self.model.one_plane_per_class else None
        return Decision(decide(scores), scores, per_class)


def from_arrays(state: Mapping[str, Any]) -> FittedPredictor:
    """Build a predictor from the state that :func:`to_arrays` returned.

    Parameters
    ----------
    state : mapping
        The exported state. Arrays may be read-only memory maps; they are not copied.

    Returns
    -------
    predictor : FittedPredictor
        Its scores equal those of the exported estimator.

    Raises
    ------
    ValueError
        If the state version or the kernel is unknown, if the shapes of the arrays do not match each
        other, or if an array contains NaN or infinity.

    See Also
    --------
    to_arrays : Export a fitted estimator.

    Examples
    --------
    >>> import numpy as np
    >>> from frtsvm_core import FRTSVMClassifier, from_arrays, to_arrays
    >>> X = np.array([[-2.0, -1.0], [-1.0, -1.0], [1.0, 1.0], [2.0, 1.0]])
    >>> model = FRTSVMClassifier("linear").fit(X, [0, 0, 1, 1])
    >>> predictor = from_arrays(to_arrays(model))
    >>> np.array_equal(predictor.decide(X).scores, model.decision_function(X))
    True
    """
    if state.get("state_version") not in (STATE_VERSION, WEIGHTED_STATE_VERSION):
        raise ValueError(
            f"The state of the model has the unknown state version {state.get('state_version')!r}. "
            "Load it with the release that wrote it, or a newer one."
        )
    if state["kernel"] not in KERNEL_NAMES:
        raise ValueError(
            f"The state of the model names the unknown kernel {state['kernel']!r}; "
            f"expected one of {', '.join(KERNEL_NAMES)}."
        )
    kernel = resolve_kernel(
        state["kernel"], gamma=state["gamma"], degree=state["degree"], coef0=state["coef0"]
    )
    model = PlaneModel(
        kernel=kernel,
        landmarks=state.get("landmarks"),
        coef=state["coef"],
        intercept=state["intercept"],
        norms=state["norms"],
        plane_classes=state["plane_classes"],
        balance=_distance_weights(state),
    )
    _require_consistent(state, model)
    return FittedPredictor(state["classes"], int(state["n_features"]), model)


def _distance_weights(state: Mapping[str, Any]) -> DistanceWeights | None:
    if state["state_version"] == STATE_VERSION:
        return None
    return DistanceWeights(state["plane_weights"], state["pair_offsets"])


def _require_consistent(state: Mapping[str, Any], model: PlaneModel) -> None:
    n_planes = model.plane_classes.shape[0]
    linear = model.kernel is None
    width = int(state["n_features"]) if linear else len(model.landmarks)
    numbers = [model.coef, model.intercept, model.norms]
    n_pairs, weights_match = count_pairs(model.plane_classes), True
    if model.balance is not None:
        weights, offsets = model.balance.weights, model.balance.offsets
        weights_match = weights.shape == (n_planes,) and offsets.shape == (n_pairs,) and n_pairs > 0
        numbers += [weights, offsets]
    checks = {
        "coef": model.coef.shape == (n_planes, width),
        "intercept": model.intercept.shape == (n_planes,),
        "norms": model.norms.shape == (n_planes,),
        "classes": model.n_classes == len(state["classes"]),
        "distance weights": weights_match,
        "values that are not finite": all(np.isfinite(values).all() for values in numbers),
    }
    wrong = [part for part, right in checks.items() if not right]
    if wrong:
        raise ValueError(
            f"The state of the model is inconsistent: {', '.join(wrong)}. Export the model again."
        )
