"""Predictions from exported plain arrays equal those of the estimator."""

import numpy as np
import pytest

from frtsvm_core import FRTSVMClassifier, from_arrays, to_arrays


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_scores_equal_the_decision_function(kernel, multi_class, n_classes):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(240, 6))
    y = np.arange(240) % n_classes
    x[:, 0] += 2.0 * y
    model = FRTSVMClassifier(kernel=kernel, multi_class=multi_class, random_state=0).fit(x, y)
    predictor = from_arrays(to_arrays(model))
    predictor.prepare()
    rows = rng.normal(size=(300, 6)) * 2.0
    expected = model.decision_function(rows)
    scale = np.abs(expected).max()
    for some in (rows, rows[:1], rows[7:8]):
        found = predictor.decide(some)
        scores = model.decision_function(some)
        np.testing.assert_allclose(found.scores, scores, rtol=1e-12, atol=1e-12 * scale)
        np.testing.assert_array_equal(model.classes_[found.codes], model.predict(some))
    single_rows = np.array([predictor.decide(row[None]).scores[0] for row in rows])
    np.testing.assert_allclose(single_rows, expected, rtol=1e-12, atol=1e-12 * scale)


def test_read_only_arrays_are_accepted_and_not_modified():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(60, 3))
    model = FRTSVMClassifier(random_state=0).fit(x, x[:, 0] > 0)
    state = to_arrays(model)
    for value in state.values():
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    x.flags.writeable = False
    before = x.copy()
    np.testing.assert_allclose(from_arrays(state).decide(x).scores, model.decision_function(x))
    np.testing.assert_array_equal(x, before)
