"""Export of fitted models as plain data, and prediction from it."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from frtsvm_core import FRTSVMClassifier, TSVMClassifier, from_arrays, to_arrays
from frtsvm_core.twin.decision import DistanceWeights
from tests.frtsvm_core.problems import two_clouds

X, Y = two_clouds(0)
PLAIN = (str, int, float, np.ndarray)


def three(n_rows=60):
    rng = np.random.default_rng(0)
    codes = np.arange(n_rows) % 3
    return rng.normal(size=(n_rows, 2)) + 2.0 * codes[:, None], codes


@pytest.mark.parametrize("estimator", [FRTSVMClassifier, TSVMClassifier])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_predictor_from_plain_data_equals_the_estimator(estimator, kernel):
    model = estimator(kernel, random_state=0).fit(X, Y)
    state = to_arrays(model)
    assert all(isinstance(value, PLAIN) for value in state.values())
    decision = from_arrays(state).decide(X)
    np.testing.assert_array_equal(model.classes_[decision.codes], model.predict(X))
    np.testing.assert_array_equal(decision.scores, model.decision_function(X))
    np.testing.assert_array_equal(decision.distances, model.distances(X))


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_several_classes(multi_class):
    x, y = three()
    model = FRTSVMClassifier(multi_class=multi_class, random_state=0).fit(x, y)
    decision = from_arrays(to_arrays(model)).decide(x)
    np.testing.assert_array_equal(decision.codes, model.predict(x))
    assert (decision.distances is None) == (multi_class == "ovo")


def test_read_only_arrays_are_accepted():
    state = to_arrays(FRTSVMClassifier(random_state=0).fit(X, Y))
    for value in state.values():
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    from_arrays(state).decide(X)


def test_callable_kernel_cannot_be_exported():
    model = FRTSVMClassifier(lambda a, b: a @ b.T).fit(X, Y)
    with pytest.raises(ValueError, match="callable kernel cannot be exported"):
        to_arrays(model)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"state_version": 99}, "unknown state version 99"),
        ({"kernel": "evil"}, "unknown kernel 'evil'"),
        ({"coef": np.zeros((2, 9))}, "inconsistent: coef"),
        ({"intercept": np.array([0.0, np.nan])}, "not finite"),
        ({"classes": np.arange(3)}, "inconsistent: classes"),
    ],
)
def test_inconsistent_states_are_rejected(change, message):
    state = to_arrays(FRTSVMClassifier("linear").fit(X, Y))
    with pytest.raises(ValueError, match=message):
        from_arrays(state | change)


def test_rows_of_wrong_width_or_with_nan_are_rejected():
    predictor = from_arrays(to_arrays(FRTSVMClassifier("linear").fit(X, Y)))
    with pytest.raises(ValueError, match="expects 3 features"):
        predictor.decide(X[:, :2])
    with pytest.raises(ValueError, match="row 0, column 1"):
        predictor.decide(np.array([[0.0, np.nan, 1.0]]))


WEIGHTS = DistanceWeights(np.array([1.25, 0.75]), np.array([0.1]))


def test_distance_weights_are_exported_and_used():
    model = FRTSVMClassifier(random_state=0).fit(X, Y)
    nearest = model.decision_function(X)
    state = to_arrays(model.set_distance_weights(WEIGHTS))
    assert state["state_version"] == 2
    decision = from_arrays(state).decide(X)
    expected = 1.25 * decision.distances[:, 0] - 0.75 * decision.distances[:, 1] + 0.1
    np.testing.assert_allclose(decision.scores, expected, rtol=1e-12)
    np.testing.assert_array_equal(decision.scores, model.decision_function(X))
    np.testing.assert_array_equal(model.predict(X), model.classes_[(expected > 0.0).astype(int)])
    assert to_arrays(model.set_distance_weights(None))["state_version"] == 1
    np.testing.assert_array_equal(model.decision_function(X), nearest)


def test_a_new_fit_resets_the_distance_weights():
    model = FRTSVMClassifier(random_state=0).fit(X, Y).set_distance_weights(WEIGHTS)
    assert model.fit(X, Y).balance_ is None


def test_distance_weights_of_other_planes_are_rejected():
    x, y = three()
    several = FRTSVMClassifier(random_state=0).fit(x, y)
    rest = FRTSVMClassifier(random_state=0, multi_class="ovr").fit(x, y)
    for model in (several, rest):
        with pytest.raises(ValueError, match="for 1 pairs of classes, but the fitted planes form"):
            model.set_distance_weights(WEIGHTS)
    with pytest.raises(NotFittedError):
        FRTSVMClassifier().set_distance_weights(WEIGHTS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"plane_weights": np.ones(3)}, "inconsistent: distance weights"),
        ({"pair_offsets": np.zeros(2)}, "inconsistent: distance weights"),
        ({"pair_offsets": np.array([np.nan])}, "not finite"),
    ],
)
def test_inconsistent_distance_weights_are_rejected(change, message):
    state = to_arrays(FRTSVMClassifier(random_state=0).fit(X, Y).set_distance_weights(WEIGHTS))
    with pytest.raises(ValueError, match=message):
        from_arrays(state | change)
