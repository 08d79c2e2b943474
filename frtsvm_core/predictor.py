"""Predict from plain data: all that a server needs of a model, without the code that trains."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frtsvm_core.finite import require_finite
from frtsvm_core.kernels.functions import KERNEL_NAMES, RBF, resolve_kernel
from frtsvm_core.twin.decision import Balance, pairs_of
from frtsvm_core.twin.model import PlaneModel, decide

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

#: Version 2 has a balance. Without one the state is still of version 1: old readers know it.
STATE_VERSION, BALANCED_STATE_VERSION = 1, 2


@dataclass(frozen=True)
class Decision:
    codes: IntArray  # class numbers
    scores: FloatArray  # as `decision_function`
    distances: FloatArray | None  # per class, where each class has one plane


def joined(parts: Sequence[Decision]) -> Decision:
    """One decision about the rows of all parts, which come from one model."""
    distances = [part.distances for part in parts if part.distances is not None]
    return Decision(
        np.concatenate([part.codes for part in parts]),
        np.concatenate([part.scores for part in parts]),
        np.concatenate(distances) if distances else None,
    )


@dataclass(frozen=True)
class FittedPredictor:
    """Predicts from plain data, without an estimator; arrays may be read-only memory maps."""

    classes_: NDArray[Any]
    n_features_in_: int
    model: PlaneModel

    @property
    def work_per_row(self) -> int:
        """Multiplications that the decision about one row takes, or a little more."""
        n_planes, width = self.model.coef.shape
        per_input = n_planes if self.model.kernel is None else n_planes + self.n_features_in_
        return int(width * per_input)

    def is_bounded(self, bound: float) -> bool:
        """Whether values are sums of at most `bound` times a number of x, or of a bounded kernel."""
        model = self.model
        if not (model.kernel is None or isinstance(model.kernel, RBF)):
            return False
        landmarks = 0.0 if model.landmarks is None else np.abs(model.landmarks).max(initial=0.0)
        largest = max(np.abs(model.coef).sum(), np.abs(model.intercept).max(), landmarks)
        if model.balance is not None:
            largest = max(largest, np.abs(model.balance.offsets).max())
        return bool(largest < bound and model.norms.min() > 1.0 / bound)

    def prepare(self) -> int:
        """Do now what the first prediction would do; returns the bytes it takes."""
        return self.model.prepare()

    def decide(self, x: FloatArray) -> Decision:
        """Classes, scores and distances for rows of finite doubles."""
        if x.ndim != 2 or x.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has shape {x.shape}, but the model expects {self.n_features_in_} features as input"
            )
        require_finite(x)
        return self.decide_unchecked(x)

    def decide_unchecked(self, x: FloatArray) -> Decision:
        """The same for rows that are known to have the right shape, and numbers within range."""
        distances = self.model.distances(x)
        scores = self.model.scores(distances)
        per_class = distances if self.model.one_plane_per_class else None
        return Decision(decide(scores), scores, per_class)


def from_arrays(state: Mapping[str, Any]) -> FittedPredictor:
    """The predictor for a state of `to_arrays`; ValueError where its parts do not fit together."""
    if state.get("state_version") not in (STATE_VERSION, BALANCED_STATE_VERSION):
        raise ValueError(f"unknown state version {state.get('state_version')!r}")
    if state["kernel"] not in KERNEL_NAMES:
        raise ValueError(f"unknown kernel {state['kernel']!r}")
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
        balance=_balance(state),
    )
    _require_consistent(state, model)
    return FittedPredictor(state["classes"], int(state["n_features"]), model)


def _balance(state: Mapping[str, Any]) -> Balance | None:
    if state["state_version"] == STATE_VERSION:
        return None
    return Balance(state["plane_weights"], state["pair_offsets"])


def _require_consistent(state: Mapping[str, Any], model: PlaneModel) -> None:
    n_planes = model.plane_classes.shape[0]
    linear = model.kernel is None
    width = int(state["n_features"]) if linear else len(model.landmarks)
    numbers = [model.coef, model.intercept, model.norms]
    n_pairs, balanced = pairs_of(model.plane_classes), True
    if model.balance is not None:
        weights, offsets = model.balance.weights, model.balance.offsets
        balanced = weights.shape == (n_planes,) and offsets.shape == (n_pairs,) and n_pairs > 0
        numbers += [weights, offsets]
    checks = {
        "coef": model.coef.shape == (n_planes, width),
        "intercept": model.intercept.shape == (n_planes,),
        "norms": model.norms.shape == (n_planes,),
        "classes": model.n_classes == len(state["classes"]),
        "balance": balanced,
        "numbers that are not finite": all(np.isfinite(values).all() for values in numbers),
    }
    wrong = [part for part, right in checks.items() if not right]
    if wrong:
        raise ValueError(f"the state of the model is inconsistent: {', '.join(wrong)}")
