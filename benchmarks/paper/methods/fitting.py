"""Fit one method, measure the CPU time, and score it on test rows."""

import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks.paper.methods.registry import METHODS
from benchmarks.paper.methods.rows import Rows


@dataclass(frozen=True)
class Fitted:
    estimator: Any
    accuracy: float  # percent
    seconds: float  # CPU time


def fit_and_score(
    key: str, kernel: str, params: dict[str, float], train: Rows, test: Rows, repeat: int = 1
) -> Fitted:
    """Fit `repeat` times and keep the shortest CPU time, which includes kernel and memberships."""
    seconds = np.inf
    for _ in range(repeat):
        estimator = METHODS[key].build(kernel, params)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            began = time.process_time()
            estimator.fit(train.x, train.y)
            seconds = min(seconds, time.process_time() - began)
    accuracy = 100.0 * float(np.mean(estimator.predict(test.x) == test.y))
    return Fitted(estimator, accuracy, float(seconds))
