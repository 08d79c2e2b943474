"""Degenerate data give defined, finite results or a clear error."""

import numpy as np
import pytest

from frtsvm_core import FRTSVMClassifier, FSVMClassifier, TSVMClassifier
from tests.frtsvm_core.problems import two_clouds

KERNELS = ["linear", "rbf", "poly"]
rng = np.random.default_rng(0)


def assert_usable(model, x, y):
    """Assert finite planes and scores, small duality gaps and known labels."""
    scores = model.decision_function(x)
    assert np.isfinite(scores).all()
    assert np.isfinite(model.intercept_).all()
    assert np.isfinite(model.memberships_).all()
    assert (model.memberships_ >= 0).all()
    assert (model.duality_gap_ < 1e-6).all()
    assert set(model.predict(x)) <= set(y)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("membership", ["center", "none", "neighbors"])
@pytest.mark.parametrize(
    ("x", "y"),
    [
        pytest.param(np.vstack([[[5.0, 5.0]], rng.normal(size=(20, 2))]), [1] + [0] * 20,
                     id="one row in a class"),
        pytest.param([[0.0, 1.0], [3.0, 4.0]], [0, 1], id="one row in each class"),
        pytest.param(np.vstack([np.full((8, 2), 3.7), rng.normal(size=(9, 2))]), [0] * 8 + [1] * 9,
                     id="equal rows in a class"),
        pytest.param(np.repeat([[1.0, 2.0], [3.0, 1.0]], 6, axis=0), [0] * 6 + [1] * 6,
                     id="equal rows in both classes"),
        pytest.param(np.hstack([rng.normal(size=(20, 2)) + 2 * (np.arange(20) % 2)[:, None],
                                np.full((20, 1), 0.1)]), np.arange(20) % 2, id="constant feature"),
        pytest.param(np.vstack([rng.normal(size=(10, 2))] * 2), [0] * 10 + [1] * 10,
                     id="every row in both classes"),
        pytest.param(rng.normal(size=(12, 1)) + (np.arange(12) % 2)[:, None], np.arange(12) % 2,
                     id="one feature"),
        pytest.param(rng.normal(size=(10, 5000)), np.arange(10) % 2, id="more features than rows"),
        pytest.param([[1.0, 1.0], [2.0, 2.0], [0.0, 0.0], [9.0, 9.0]], [0, 0, 1, 1],
                     id="two rows in each class, on a line"),
    ],
)  # fmt: skip
def test_degenerate_data_can_be_fitted(kernel, membership, x, y):
    x, y = np.asarray(x), np.asarray(y)
    model = FRTSVMClassifier(kernel, membership=membership, random_state=0).fit(x, y)
    assert_usable(model, x, y)


def test_a_class_of_one_row_is_predicted_for_that_row():
    x = np.vstack([[[9.0, 9.0]], rng.normal(size=(20, 2))])
    y = np.array([1] + [0] * 20)
    for kernel in KERNELS:
        model = FRTSVMClassifier(kernel, random_state=0).fit(x, y)
        assert model.predict([[9.0, 9.0]])[0] == 1
        assert model.score(x, y) == 1.0


def test_classes_of_equal_rows_are_separated():
    x, y = np.repeat([[1.0, 2.0], [3.0, 1.0]], 6, axis=0), np.repeat([0, 1], 6)
    for kernel in KERNELS:
        assert FRTSVMClassifier(kernel).fit(x, y).score(x, y) == 1.0


def test_more_features_than_rows_equals_the_rotated_problem():
    x, y = rng.normal(size=(10, 5000)), np.arange(10) % 2
    basis, _ = np.linalg.qr(x.T)
    wide = FRTSVMClassifier("linear", tol=1e-9).fit(x, y)
    narrow = FRTSVMClassifier("linear", tol=1e-9).fit(x @ basis, y)
    np.testing.assert_allclose(wide.distances(x), narrow.distances(x @ basis), rtol=1e-7, atol=1e-9)
    assert wide.coef_.shape == (2, 5000)


@pytest.mark.parametrize("exponent", [-150, -100, -20, -8, 0, 8, 20, 100, 149])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_any_scale_can_be_fitted(exponent, kernel):
    x, y = two_clouds(0)
    scaled = x * 10.0**exponent
    model = FRTSVMClassifier(kernel, random_state=0).fit(scaled, y)
    assert_usable(model, scaled, y)


@pytest.mark.parametrize("exponent", [8, 20, 100, 149])
def test_distances_are_right_at_huge_scales(exponent):
    """If c1 is negligible compared with the scatter, distances scale with the rows."""
    x, y = two_clouds(0)
    params = {"membership": "none", "tol": 1e-9, "random_state": 0}
    base = FRTSVMClassifier("linear", c1=1e-14, **params).fit(x, y)
    model = FRTSVMClassifier("linear", c1=1.0, **params).fit(x * 10.0**exponent, y)
    np.testing.assert_allclose(
        model.distances(x * 10.0**exponent) / 10.0**exponent, base.distances(x), rtol=1e-6
    )


def test_gamma_scale_makes_rbf_independent_of_the_scale():
    x, y = two_clouds(0)
    base = FRTSVMClassifier(tol=1e-9, delta=1e-300, random_state=0).fit(x, y)
    for exponent in (-140, 140):
        scaled = x * 10.0**exponent
        model = FRTSVMClassifier(tol=1e-9, delta=1e-300, random_state=0).fit(scaled, y)
        np.testing.assert_allclose(model.distances(scaled), base.distances(x), rtol=1e-6)


def test_values_too_large_to_square_are_an_error():
    x, y = two_clouds(0)
    x[7, 1] = 1e160
    with pytest.raises(ValueError, match=r"too large to be squared.*row 7, column 1"):
        FRTSVMClassifier().fit(x, y)


def test_mixed_scales_in_one_table():
    x, y = two_clouds(0)
    x = x * [1e-9, 1.0, 1e9]
    for kernel in ("linear", "rbf"):
        assert_usable(FRTSVMClassifier(kernel, random_state=0).fit(x, y), x, y)


def test_equal_rows_are_predicted_as_the_larger_class():
    """If all rows are equal, the planes are constant and the class sizes decide."""
    x, y = np.full((10, 2), 0.3), np.array([0] * 3 + [1] * 7)
    for kernel in KERNELS:
        model = FRTSVMClassifier(kernel, random_state=0).fit(x, y)
        np.testing.assert_array_equal(model.plane_norms_, 0.0)
        assert_usable(model, x, y)
        assert (model.predict(x) == 1).all()


def test_everything_suspected_and_mu_zero():
    """With mu = 0 and all rows suspected, no row has a cost of slack."""
    x = np.vstack([rng.normal(size=(10, 2))] * 2)
    y = np.repeat([0, 1], 10)
    model = FRTSVMClassifier("linear", mu=0.0).fit(x, y)
    assert model.suspected_noise_.all()
    assert np.isfinite(model.decision_function(x)).all()


def test_polynomial_that_overflows_is_an_error():
    x, y = two_clouds(0)
    with pytest.raises(ValueError, match="kernel is not finite"):
        FRTSVMClassifier("poly", gamma=1e100, degree=9).fit(x * 1e20, y)


def test_indefinite_kernel_is_an_error():
    x, y = two_clouds(0, shift=3.0)
    with pytest.raises(ValueError, match="not positive semi-definite"):
        FRTSVMClassifier("sigmoid", gamma=1.0, coef0=-1.0).fit(x, y)


def test_sigmoid_works_if_positive_semi_definite():
    x, y = two_clouds(0)
    model = FRTSVMClassifier("sigmoid", gamma=1e-3, coef0=0.0).fit(x, y)
    assert_usable(model, x, y)


@pytest.mark.parametrize("estimator", [TSVMClassifier, FSVMClassifier])
def test_baselines_handle_degenerate_data(estimator):
    for x, y in [
        (np.vstack([[[5.0, 5.0]], rng.normal(size=(20, 2))]), np.array([1] + [0] * 20)),
        (np.vstack([np.full((8, 2), 3.7), rng.normal(size=(9, 2))]), np.repeat([0, 1], [8, 9])),
        (rng.normal(size=(10, 500)), np.arange(10) % 2),
    ]:
        for kernel in ("linear", "rbf"):
            model = estimator(kernel=kernel, random_state=0).fit(x, y)
            assert np.isfinite(model.decision_function(x)).all()
