"""Small data sets with known properties."""

from __future__ import annotations

from typing import Any

import numpy as np


def two_blobs(n: int = 40, seed: int = 0, n_features: int = 2) -> tuple[list[Any], list[str]]:
    """Return rows and labels of two separable classes around (-2, ...) and (2, ...)."""
    rng = np.random.default_rng(seed)
    labels = [i % 2 for i in range(n)]
    rows = rng.normal(size=(n, n_features)) + np.array([[4.0 * k - 2.0] for k in labels])
    return rows.round(4).tolist(), ["yes" if k else "no" for k in labels]


def training(model: str = "default", n: int = 40, seed: int = 0, **extra: Any) -> dict[str, Any]:
    """Return the request body of a small training."""
    rows, labels = two_blobs(n, seed)
    return {"model": model, "X": rows, "y": labels, **extra}


def slow_training(model: str = "slow", n: int = 2000) -> dict[str, Any]:
    """Return a training that takes many seconds: fifty folds of indistinguishable classes."""
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(n, 5)).round(4).tolist()
    labels = rng.integers(0, 2, n).tolist()
    params = {"rank": 200, "tol": 1e-10, "max_iter": 10_000, "c1": 1e-3, "c3": 100}
    return {"model": model, "X": rows, "y": labels, "params": params, "validation": {"folds": 50}}


def long_search(model: str = "long", n: int = 1500, budget: float = 60.0) -> dict[str, Any]:
    """Return a search that would take minutes, but evaluates its first configurations quickly.

    With a tenth of the rows, a fast machine evaluates all 10,000 configurations in less than 2 s.
    """
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(n, 4)).round(4)
    labels = (rows[:, 0] + rng.normal(size=n) > 0).tolist()
    costs = np.logspace(-3, 3, 50).tolist()
    grid = {"c1": costs, "c3": costs, "gamma": [0.5, 1.0, 2.0, 4.0]}
    search = {"grid": grid, "time_budget": budget, "folds": 5}
    return {"model": model, "X": rows.tolist(), "y": labels, "search": search}
