"""FSVMClassifier: libsvm with the memberships of FR-TSVM."""

import numpy as np
import pytest
from sklearn.svm import SVC

from frtsvm_core import FRTSVMClassifier, FSVMClassifier
from tests.frtsvm_core.problems import two_clouds

X, Y = two_clouds(0)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_equals_libsvm_with_memberships_as_weights(kernel):
    model = FSVMClassifier(kernel, C=2.0, gamma=0.5).fit(X, Y)
    svc = SVC(kernel=kernel, C=2.0, gamma=0.5, tol=1e-9).fit(X, Y, model.memberships_)
    np.testing.assert_allclose(model.decision_function(X), svc.decision_function(X), rtol=1e-6)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_memberships_are_those_of_frtsvm(kernel):
    fuzzy = FSVMClassifier(kernel).fit(X, Y)
    twin = FRTSVMClassifier(kernel).fit(X, Y)
    np.testing.assert_allclose(fuzzy.memberships_, twin.memberships_, rtol=1e-9)
    np.testing.assert_array_equal(fuzzy.suspected_noise_, twin.suspected_noise_)


def test_without_memberships_it_is_the_svm():
    model = FSVMClassifier(membership="none", gamma=0.5).fit(X, Y)
    svc = SVC(gamma=0.5, tol=1e-9).fit(X, Y)
    np.testing.assert_allclose(model.decision_function(X), svc.decision_function(X), rtol=1e-6)


def test_labels_and_several_classes():
    rng = np.random.default_rng(0)
    codes = np.arange(90) % 3
    rows = rng.normal(size=(90, 2)) + np.array([[0, 0], [5, 0], [0, 5]])[codes]
    labels = np.array(["x", "y", "z"])[codes]
    model = FSVMClassifier().fit(rows, labels)
    assert model.score(rows, labels) > 0.95
    assert model.decision_function(rows).shape == (90, 3)


def test_precomputed_kernel_with_rows_of_weight_zero():
    weight = np.ones(len(X))
    weight[[2, 9]] = 0.0
    kernel = X @ X.T
    by_matrix = FSVMClassifier("precomputed").fit(kernel, Y, weight)
    direct = FSVMClassifier("linear").fit(X, Y, weight)
    new, _ = two_clouds(1)
    # eq. 1 and 2 place delta differently, so the memberships differ by less than delta
    np.testing.assert_allclose(
        by_matrix.decision_function(new @ X.T), direct.decision_function(new), rtol=1e-4, atol=1e-6
    )


def test_rows_of_membership_zero_do_not_shift_the_columns_of_a_precomputed_kernel():
    """Neighbor memberships can be exactly 0, and libsvm drops such rows."""
    x, y = np.vstack([X, X[Y == 0][:1] + 50.0]), np.append(Y, 0)
    x = np.vstack([x, X[Y == 1].mean(axis=0) + np.zeros((1, X.shape[1]))])
    y = np.append(y, 0)
    kernel = x @ x.T
    new, _ = two_clouds(1)
    model = FSVMClassifier("precomputed", membership="neighbors", mu=0.0).fit(kernel, y)
    assert (model.memberships_ == 0).any()
    svc = SVC(kernel="linear", tol=1e-9).fit(x, y, sample_weight=model.memberships_)
    np.testing.assert_allclose(
        model.decision_function(new @ x.T), svc.decision_function(new), rtol=1e-4, atol=1e-6
    )
