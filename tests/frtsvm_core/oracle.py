"""Independent solution of one plane: the paper's primal problem, by a general-purpose solver.

It shares no code with the library: no whitening, no dual, no feature map. The variables are [w, b,
xi] of the primal problem of linear FR-TSVM as printed in the paper; for a kernel, the columns of H
and G are kernel values.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class OraclePlane:
    w: FloatArray
    b: float
    objective: float


def primal_objective(
    own: FloatArray, other: FloatArray, cost: FloatArray, c: float, sign: float, u: FloatArray
) -> float:
    """c/2 |w|^2 + 1/2 |own w + b|^2 + cost.max(0, 1 - sign (other w + b))."""
    w, b = u[:-1], u[-1]
    slack = np.maximum(0.0, 1.0 - sign * (other @ w + b))
    return float(0.5 * c * w @ w + 0.5 * np.sum((own @ w + b) ** 2) + cost @ slack)


def solve_primal(
    own: FloatArray, other: FloatArray, cost: FloatArray, c: float, sign: float
) -> OraclePlane:
    """Solve for the plane by sequential quadratic programming on the form with explicit slacks."""
    n_features, n_slack = own.shape[1], other.shape[0]
    h = np.hstack([own, np.ones((own.shape[0], 1))])
    g = np.hstack([other, np.ones((n_slack, 1))])
    curvature = h.T @ h + c * np.diag([1.0] * n_features + [0.0])

    def value(x: FloatArray) -> tuple[float, FloatArray]:
        u, xi = x[: n_features + 1], x[n_features + 1 :]
        gradient = np.concatenate([curvature @ u, cost])
        return float(0.5 * u @ curvature @ u + cost @ xi), gradient

    constraint = np.hstack([sign * g, np.eye(n_slack)])
    result = minimize(
        value,
        np.concatenate([np.zeros(n_features + 1), np.ones(n_slack)]),
        jac=True,
        method="SLSQP",
        bounds=[(None, None)] * (n_features + 1) + [(0.0, None)] * n_slack,
        constraints={
            "type": "ineq",
            "fun": lambda x: constraint @ x - 1.0,
            "jac": lambda _: constraint,
        },
        options={"maxiter": 1000, "ftol": 1e-15},
    )
    u = np.asarray(result.x[: n_features + 1])
    return OraclePlane(u[:-1], float(u[-1]), primal_objective(own, other, cost, c, sign, u))
