"""The measured tasks: data and estimators of this library (`ours`) and of scikit-learn."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification, make_moons
from sklearn.svm import SVC, LinearSVC

from benchmarks.measure import Measurement, measure
from frtsvm_core import FRTSVMClassifier, TSVMClassifier

FloatArray = NDArray[np.float64]
N_TEST = 20_000


@dataclass(frozen=True)
class Task:
    """Training and test rows, and the estimator to fit or to predict with."""

    estimator: Any
    x: FloatArray
    y: NDArray[np.int64]
    x_test: FloatArray
    y_test: NDArray[np.int64]


def table_rows(n_rows: int, clusters: int) -> tuple[Any, ...]:
    """A table of 50 features, 30 of them informative, 5 % of the labels flipped."""
    x, y = make_classification(
        n_rows + N_TEST, 50, n_informative=20, n_redundant=10, n_clusters_per_class=clusters,
        flip_y=0.05, random_state=0,
    )  # fmt: skip
    return x[:n_rows].copy(), y[:n_rows].copy(), x[n_rows:].copy(), y[n_rows:].copy()


def moons(n_rows: int) -> tuple[Any, ...]:
    return (
        *make_moons(n_rows, noise=0.25, random_state=0),
        *make_moons(N_TEST, noise=0.25, random_state=1),
    )


def linear_task(ours: bool, n_rows: int, clusters: int) -> Task:
    estimator = FRTSVMClassifier("linear", random_state=0) if ours else LinearSVC(dual=False)
    if ours:
        _compile()
    return Task(estimator, *table_rows(n_rows, clusters))


def rbf_task(ours: bool, n_rows: int) -> Task:
    estimator = FRTSVMClassifier(gamma=2.0, c3=0.1, random_state=0) if ours else SVC(gamma=2.0)
    if ours:
        _compile()
    return Task(estimator, *moons(n_rows))


def twin_task(ours: bool, kernel: str, n_rows: int) -> Task:
    """FR-TSVM or TSVM with the same slack cost; ridge and margin term have their defaults."""
    cost = 1.0 if kernel == "linear" else 0.1
    if ours:
        estimator: Any = FRTSVMClassifier(kernel, gamma=2.0, c3=cost, random_state=0)
    else:
        estimator = TSVMClassifier(kernel, gamma=2.0, c1=cost, random_state=0)
    _compile()
    return Task(estimator, *(table_rows(n_rows, 1) if kernel == "linear" else moons(n_rows)))


def fitted_rbf_task(ours: bool, n_rows: int) -> Task:
    task = rbf_task(ours, n_rows)
    task.estimator.fit(task.x, task.y)
    return task


def exact_task(n_rows: int, gamma: float) -> Task:
    """The exact kernel with a tolerance of 1e-9, as a reference for the automatic rank."""
    estimator = FRTSVMClassifier(gamma=gamma, rank=None, tol=1e-9, random_state=0)
    return Task(estimator, *moons(n_rows))


def fit(task: Task) -> Any:
    return task.estimator.fit(task.x, task.y)


def predict(task: Task) -> Any:
    return task.estimator.predict(task.x_test)


def facts_of_fit(task: Task, model: Any) -> dict[str, Any]:
    facts = {"accuracy": float(model.score(task.x_test, task.y_test))}
    if isinstance(model, FRTSVMClassifier | TSVMClassifier):
        facts |= {"gap": float(model.duality_gap_.max()), "rank": int(model.rank_)}
    return facts


def facts_of_predict(task: Task, labels: Any) -> dict[str, Any]:
    return {"accuracy": float(np.mean(labels == task.y_test))}


def facts_of_exact(task: Task, exact: Any) -> dict[str, Any]:
    auto = FRTSVMClassifier(gamma=exact.gamma, random_state=0).fit(task.x, task.y)
    found, expected = auto.decision_function(task.x_test), exact.decision_function(task.x_test)
    return {
        "difference": float(np.abs(found - expected).max() / np.abs(expected).max()),
        "labels_differ": int(((found > 0) != (expected > 0)).sum()),
        "rank": int(auto.rank_),
        "exact_rank": int(exact.rank_),
        "gap": float(exact.duality_gap_.max()),
    }


def _compile() -> None:
    """Load the compiled code before the measurement, as a service does once at its start."""
    x = np.random.default_rng(0).normal(size=(300, 3))
    for kernel in ("linear", "rbf"):
        FRTSVMClassifier(kernel, random_state=0).fit(x, np.arange(300) % 2)


def linear_fit(ours: bool, n_rows: int, clusters: int, repeat: int = 1) -> Measurement:
    prepare = partial(linear_task, ours)
    return measure(prepare, fit, facts_of_fit, n_rows, clusters, repeat=repeat)


def rbf_fit(ours: bool, n_rows: int, repeat: int = 1) -> Measurement:
    return measure(partial(rbf_task, ours), fit, facts_of_fit, n_rows, repeat=repeat)


def twin_fit(ours: bool, kernel: str, n_rows: int, repeat: int = 1) -> Measurement:
    return measure(partial(twin_task, ours), fit, facts_of_fit, kernel, n_rows, repeat=repeat)


def rbf_predict(ours: bool, n_rows: int, repeat: int = 1) -> Measurement:
    return measure(partial(fitted_rbf_task, ours), predict, facts_of_predict, n_rows, repeat=repeat)


def auto_rank(n_rows: int, gamma: float) -> Measurement:
    return measure(exact_task, fit, facts_of_exact, n_rows, gamma)
