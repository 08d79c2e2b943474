"""FRTSVMClassifier: optimality against an independent solver, symmetries, weights, ranks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

from frtsvm_core import FRTSVMClassifier
from tests.frtsvm_core.oracle import primal_objective, solve_primal
from tests.frtsvm_core.problems import seeds, two_clouds

EXACT = {"tol": 1e-9, "rank": None, "random_state": 0}
costs = st.sampled_from([0.01, 0.3, 1.0, 10.0])
memberships = st.sampled_from(["center", "none", "neighbors"])
penalties = st.sampled_from(["coefficients", "function"])
kernels = st.sampled_from(["linear", "rbf"])


def planes(model):
    return np.hstack([model.coef_, model.intercept_[:, None]])


# --- the optimum -----------------------------------------------------------------------------


@given(seed=seeds, c1=costs, c3=costs)
@settings(max_examples=25)
def test_gap_bounds_suboptimality_against_an_independent_solver(seed, c1, c3):
    x, y = two_clouds(seed, n_rows=14, n_features=2)
    model = FRTSVMClassifier("linear", c1=c1, c3=c3, **EXACT).fit(x, y)
    for own, sign in ((1, -1.0), (0, 1.0)):
        cost = c3 * model.memberships_[y != own]
        args = (x[y == own], x[y != own], cost, c1, sign)
        oracle = solve_primal(*args)
        objective = primal_objective(*args, planes(model)[own])
        certificate = model.certificates_[own]
        assert certificate.primal == pytest.approx(objective, rel=1e-9, abs=1e-12)
        assert certificate.gap >= 0.0
        # the optimum is not below the dual bound, and the plane is within the gap of the optimum
        assert oracle.objective >= certificate.dual - 1e-7 * (1 + oracle.objective)
        assert objective - oracle.objective <= certificate.gap + 1e-7 * (1 + oracle.objective)


@given(seed=seeds, c1=costs, c3=costs)
@settings(max_examples=15)
def test_kernel_plane_equals_the_papers_by_an_independent_solver(seed, c1, c3):
    """The primal over all l kernel columns, as printed in the paper, has the same objective."""
    x, y = two_clouds(seed, n_rows=10, n_features=2)
    model = FRTSVMClassifier("rbf", gamma=0.5, c1=c1, c3=c3, **EXACT).fit(x, y)
    kernel = np.exp(-0.5 * np.sum((x[:, None] - x[None]) ** 2, axis=2))
    for own, sign in ((1, -1.0), (0, 1.0)):
        cost = c3 * model.memberships_[y != own]
        oracle = solve_primal(kernel[y == own], kernel[y != own], cost, c1, sign)
        certificate = model.certificates_[own]
        assert certificate.primal == pytest.approx(oracle.objective, rel=1e-5, abs=1e-7)


@given(seed=seeds, c1=costs, c3=costs)
@settings(max_examples=15)
def test_function_penalty_equals_the_linear_penalty_in_feature_space(seed, c1, c3):
    """The independent solver gets the rows of the symmetric root of K, so that w'Kw is |g|^2."""
    x, y = two_clouds(seed, n_rows=10, n_features=2)
    model = FRTSVMClassifier("rbf", gamma=0.5, penalty="function", c1=c1, c3=c3, **EXACT).fit(x, y)
    kernel = np.exp(-0.5 * np.sum((x[:, None] - x[None]) ** 2, axis=2))
    values, vectors = np.linalg.eigh(kernel)
    rows = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    for own, sign in ((1, -1.0), (0, 1.0)):
        cost = c3 * model.memberships_[y != own]
        oracle = solve_primal(rows[y == own], rows[y != own], cost, c1, sign)
        certificate = model.certificates_[own]
        assert certificate.primal == pytest.approx(oracle.objective, rel=1e-5, abs=1e-7)
        assert model.plane_norms_[own] == pytest.approx(np.linalg.norm(oracle.w), abs=1e-4)


@pytest.mark.parametrize(
    ("kernel", "penalty"),
    [
        ("linear", "coefficients"),
        ("rbf", "coefficients"),
        ("rbf", "function"),
        ("poly", "coefficients"),
        ("poly", "function"),
    ],
)
@pytest.mark.parametrize("c1", [2**-8, 1.0, 2**8])
@pytest.mark.parametrize("c3", [2**-8, 1.0, 2**8])
def test_the_corners_of_the_papers_grid_are_solved_to_rounding_errors(kernel, penalty, c1, c3):
    x, y = make_moons(150, noise=0.3, random_state=0)
    model = FRTSVMClassifier(kernel, penalty=penalty, c1=c1, c3=c3, random_state=0).fit(x, y)
    assert model.converged_.all()
    assert model.duality_gap_.max() < 1e-10


def test_shrinking_off_gives_the_same_planes():
    x, y = two_clouds(0, n_rows=200)
    on, off = (
        FRTSVMClassifier("linear", shrinking=shrinking, **EXACT).fit(x, y)
        for shrinking in (True, False)
    )
    np.testing.assert_allclose(planes(on), planes(off), rtol=1e-8, atol=1e-10)


# --- symmetries ------------------------------------------------------------------------------


@given(seed=seeds, kernel=kernels, penalty=penalties, membership=memberships)
@settings(max_examples=30)
def test_permuted_rows_give_the_same_planes(seed, kernel, penalty, membership):
    x, y = two_clouds(seed)
    order = np.random.default_rng(seed).permutation(len(x))
    params = {"penalty": penalty, "membership": membership, **EXACT}
    model = FRTSVMClassifier(kernel, **params).fit(x, y)
    permuted = FRTSVMClassifier(kernel, **params).fit(x[order], y[order])
    np.testing.assert_allclose(permuted.distances(x), model.distances(x), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(permuted.memberships_, model.memberships_[order], atol=1e-10)


@given(seed=seeds, kernel=kernels, c2=costs, c4=costs)
@settings(max_examples=30)
def test_swapped_labels_swap_the_planes(seed, kernel, c2, c4):
    x, y = two_clouds(seed)
    model = FRTSVMClassifier(kernel, c1=1.0, c2=c2, c3=2.0, c4=c4, **EXACT).fit(x, y)
    swapped = FRTSVMClassifier(kernel, c1=c2, c2=1.0, c3=c4, c4=2.0, **EXACT).fit(x, 1 - y)
    np.testing.assert_allclose(
        swapped.distances(x), model.distances(x)[:, ::-1], rtol=1e-6, atol=1e-9
    )
    np.testing.assert_allclose(
        swapped.decision_function(x), -model.decision_function(x), rtol=1e-5, atol=1e-8
    )


def test_shifted_and_rotated_rows_give_the_same_distances():
    x, y = two_clouds(0)
    rotation, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))
    model = FRTSVMClassifier("linear", **EXACT).fit(x, y)
    moved = FRTSVMClassifier("linear", **EXACT).fit(x @ rotation + 100.0, y)
    np.testing.assert_allclose(moved.distances(x @ rotation + 100.0), model.distances(x), rtol=1e-7)


# --- weights ---------------------------------------------------------------------------------


@given(seed=seeds, kernel=kernels, penalty=penalties, membership=memberships)
@settings(max_examples=30)
def test_weights_equal_repeated_rows_and_weight_zero_equals_no_row(
    seed, kernel, penalty, membership
):
    x, y = two_clouds(seed)
    weight = np.random.default_rng(seed).integers(0, 4, len(x))
    weight[:2] = 1
    repeated = np.repeat(np.arange(len(x)), weight)
    params = {"penalty": penalty, "membership": membership, **EXACT}
    weighted = FRTSVMClassifier(kernel, **params).fit(x, y, sample_weight=weight)
    plain = FRTSVMClassifier(kernel, **params).fit(x[repeated], y[repeated])
    np.testing.assert_allclose(weighted.distances(x), plain.distances(x), rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(
        weighted.memberships_[repeated], plain.memberships_, rtol=1e-8, atol=1e-12
    )
    assert (weighted.memberships_[weight == 0] == 0).all()


def test_class_weight_multiplies_the_weights_of_a_class():
    x, y = two_clouds(0)
    by_class = FRTSVMClassifier("linear", class_weight={0: 2.0, 1: 0.5}, **EXACT).fit(x, y)
    by_row = FRTSVMClassifier("linear", **EXACT).fit(x, y, np.where(y == 0, 2.0, 0.5))
    np.testing.assert_allclose(planes(by_class), planes(by_row), rtol=1e-10)


def test_balanced_class_weight_counts_sample_weights():
    x, y = two_clouds(0)
    weight = np.random.default_rng(0).integers(1, 4, len(x))
    repeated = np.repeat(np.arange(len(x)), weight)
    params = {"class_weight": "balanced", **EXACT}
    weighted = FRTSVMClassifier("linear", **params).fit(x, y, weight)
    plain = FRTSVMClassifier("linear", **params).fit(x[repeated], y[repeated])
    np.testing.assert_allclose(planes(weighted), planes(plain), rtol=1e-8)


# --- ranks -----------------------------------------------------------------------------------


@given(seed=st.integers(0, 1000), gamma=st.sampled_from([0.3, 2.0, 10.0]), c3=costs)
@settings(max_examples=10)
def test_auto_rank_agrees_with_the_exact_kernel(seed, gamma, c3):
    x, y = make_moons(600, noise=0.25, random_state=seed)
    new, _ = make_moons(300, noise=0.25, random_state=seed + 1)
    auto = FRTSVMClassifier(gamma=gamma, c3=c3, random_state=0).fit(x, y)
    exact = FRTSVMClassifier(gamma=gamma, c3=c3, rank=None, random_state=0).fit(x, y)
    assert auto.rank_ < exact.rank_
    assert auto.kernel_residual_ <= 1e-6
    found, expected = auto.decision_function(new), exact.decision_function(new)
    scale = np.abs(expected).max()
    assert np.abs(found - expected).max() <= 1e-3 * scale
    clear = np.abs(expected) > 1e-3 * scale
    np.testing.assert_array_equal(auto.predict(new)[clear], exact.predict(new)[clear])


def test_capped_rank_reports_its_residual():
    x, y = make_moons(600, noise=0.25, random_state=0)
    model = FRTSVMClassifier(gamma=20.0, rank=15, random_state=0).fit(x, y)
    assert model.rank_ == 15
    assert model.landmarks_.shape == (15, 2)
    assert model.kernel_residual_ > 0.1


def test_precomputed_kernel_equals_the_kernel():
    x, y = two_clouds(0)
    new, _ = two_clouds(1)

    def kernel(a, b):
        return np.exp(-0.5 * np.sum((a[:, None] - b[None]) ** 2, axis=2))

    weight = np.ones(len(x))
    weight[[3, 8]] = 0.0
    direct = FRTSVMClassifier(gamma=0.5, **EXACT).fit(x, y, weight)
    by_matrix = FRTSVMClassifier("precomputed", **EXACT).fit(kernel(x, x), y, weight)
    by_function = FRTSVMClassifier(kernel, **EXACT).fit(x, y, weight)
    expected = direct.decision_function(new)
    np.testing.assert_allclose(by_matrix.decision_function(kernel(new, x)), expected, rtol=1e-6)
    np.testing.assert_allclose(by_function.decision_function(new), expected, rtol=1e-6)


def test_linear_kernel_as_polynomial_of_degree_one_has_the_same_distances():
    """|w|^2 differs between kernel coefficients and features, so the penalty is made negligible."""
    x, y = two_clouds(0, n_rows=60)
    params = {"c1": 1e-9, "membership": "none", **EXACT}
    linear = FRTSVMClassifier("linear", **params).fit(x, y)
    degree_one = FRTSVMClassifier("poly", degree=1, gamma=1.0, coef0=0.0, **params).fit(x, y)
    np.testing.assert_allclose(degree_one.distances(x), linear.distances(x), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("c1", [0.01, 1.0, 100.0])
def test_linear_kernel_as_polynomial_of_degree_one_is_the_same_with_function_penalty(c1):
    x, y = two_clouds(0, n_rows=60)
    params = {"c1": c1, "penalty": "function", "membership": "none", **EXACT}
    linear = FRTSVMClassifier("linear", **params).fit(x, y)
    degree_one = FRTSVMClassifier("poly", degree=1, gamma=1.0, coef0=0.0, **params).fit(x, y)
    np.testing.assert_allclose(degree_one.distances(x), linear.distances(x), rtol=1e-7, atol=1e-9)


# --- warnings and callbacks ------------------------------------------------------------------


def test_convergence_warning_names_gap_and_tolerance():
    x, y = two_clouds(0, n_rows=300)
    with pytest.warns(ConvergenceWarning) as caught:
        model = FRTSVMClassifier("linear", c3=100.0, tol=1e-6, max_iter=1).fit(x, y)
    assert not model.converged_.any()
    message = str(caught[0].message)
    assert "max_iter=1 " in message
    assert "tol=1e-06" in message
    assert f"{model.certificates_[0].relative_gap:.3g}" in message


def test_callback_receives_phases_and_sweeps():
    x, y = two_clouds(0)
    seen = []
    FRTSVMClassifier(random_state=0).fit(x, y, callback=seen.append)
    assert [p.phase for p in seen[:3]] == ["kernel", "memberships", "solve"]
    assert {p.plane for p in seen[2:]} == {0, 1}
    assert all(p.n_planes == 2 for p in seen)


def test_exception_of_the_callback_ends_the_fit():
    x, y = two_clouds(0)

    def cancel(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        FRTSVMClassifier().fit(x, y, callback=cancel)


def test_same_seed_same_model():
    x, y = make_moons(700, noise=0.3, random_state=0)
    first, second = (FRTSVMClassifier(random_state=3).fit(x, y) for _ in range(2))
    np.testing.assert_array_equal(first.dual_coef_, second.dual_coef_)


# --- several classes -------------------------------------------------------------------------


def three_clouds(seed=0, n_rows=120):
    rng = np.random.default_rng(seed)
    codes = np.arange(n_rows) % 3
    centers = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    return rng.normal(size=(n_rows, 2)) + centers[codes], np.array(["b", "a", "c"])[codes]


def test_one_vs_one_pairs_equal_binary_models():
    x, y = three_clouds()
    model = FRTSVMClassifier("linear", membership="none", **EXACT).fit(x, y)
    assert model.plane_classes_.tolist() == [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]]
    for first, (i, j) in ((0, "ab"), (2, "ac"), (4, "bc")):
        pair = (y == i) | (y == j)
        binary = FRTSVMClassifier("linear", membership="none", **EXACT).fit(x[pair], y[pair])
        np.testing.assert_allclose(model.coef_[first : first + 2], binary.coef_, rtol=1e-8)


def test_one_vs_rest_planes_equal_plane_plus_of_binary_models():
    x, y = three_clouds()
    model = FRTSVMClassifier("linear", membership="none", multi_class="ovr", **EXACT).fit(x, y)
    for k, label in enumerate(model.classes_):
        binary = FRTSVMClassifier("linear", membership="none", **EXACT).fit(x, y == label)
        np.testing.assert_allclose(model.coef_[k], binary.coef_[1], rtol=1e-8)
    assert model.distances(x).shape == (120, 3)
    np.testing.assert_array_equal(
        model.predict(x), model.classes_[model.distances(x).argmin(axis=1)]
    )


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_separated_classes_are_predicted(multi_class, kernel):
    x, y = three_clouds()
    model = FRTSVMClassifier(kernel, multi_class=multi_class, random_state=0).fit(x, y)
    scores = model.decision_function(x)
    assert scores.shape == (120, 3)
    np.testing.assert_array_equal(model.predict(x), model.classes_[scores.argmax(axis=1)])
    assert model.score(x, y) > 0.9


def test_distances_need_one_plane_per_class():
    x, y = three_clouds()
    model = FRTSVMClassifier("linear").fit(x, y)
    with pytest.raises(AttributeError, match="one plane per class"):
        model.distances(x)


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [-1, 1], [3.0, 7.0]])
def test_labels_come_back_as_they_were(labels):
    x, y = two_clouds(0, shift=4.0)
    model = FRTSVMClassifier("linear").fit(x, np.array(labels)[y])
    assert set(model.predict(x).tolist()) == set(labels)
    assert model.classes_.tolist() == labels
