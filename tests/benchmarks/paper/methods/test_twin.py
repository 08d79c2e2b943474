"""The variants with own-class weights solve the problem stated in `twin`."""

import numpy as np

from benchmarks.paper.datasets import load
from benchmarks.paper.methods.preparation import prepared
from benchmarks.paper.methods.registry import METHODS
from benchmarks.paper.methods.row_weights import MembershipWeights
from frtsvm_core import FRTSVMClassifier


def test_memberships_weight_both_sums() -> None:
    """No plane near the fitted one has a smaller c1/2 |w|^2 + 1/2 sum s f^2 + c3 sum s xi."""
    (rows,) = prepared(load("iris"))
    c1, c3 = 0.5, 2.0
    row_weights = MembershipWeights("center").of(rows, "linear", None)
    fitted = METHODS["own-center"].build("linear", {"c1": c1, "c3": c3, "tol": 1e-8})
    twin = fitted.fit(rows.x, rows.y)._twin
    own, other = rows.y == 1, rows.y == -1

    def objective(w: np.ndarray, b: float) -> float:
        near, far = rows.x[own] @ w + b, rows.x[other] @ w + b
        slack = np.maximum(0.0, 1.0 + far)
        return 0.5 * c1 * w @ w + 0.5 * row_weights[own] @ near**2 + c3 * row_weights[other] @ slack

    w, b = twin.coef_[1], twin.intercept_[1]
    best = objective(w, b)
    rng = np.random.default_rng(0)
    for scale in (1e-3, 1e-2, 1e-1):
        for _ in range(50):
            step = scale * rng.normal(size=w.size + 1)
            assert objective(w + step[:-1], b + step[-1]) >= best - 1e-9


def test_row_weights_equal_the_memberships_of_the_library() -> None:
    (rows,) = prepared(load("wine"))
    for kernel, gamma in (("linear", None), ("rbf", 0.7)):
        for membership in ("center", "neighbors"):
            model = FRTSVMClassifier(kernel, gamma=gamma or 1.0, membership=membership)
            expected = model.fit(rows.x, rows.y).memberships_
            found = MembershipWeights(membership).of(rows, kernel, gamma)
            np.testing.assert_allclose(found, expected, atol=1e-7)
