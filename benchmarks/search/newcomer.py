"""Compare a training with `"params": "auto"` with an SVC that GridSearchCV tunes.

Both sides learn from the same rows, scaling included, use all CPU cores, and are scored on the same
held-out rows.
"""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from joblib import parallel_config
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from app.pipeline.data import TrainingData
from app.pipeline.predict import Predictor
from app.pipeline.train import train
from app.schemas.table import Table
from app.schemas.training import TrainingOptions
from benchmarks.search.datasets import ALL_SETS, Labels, Rows, Split, read_set, splits
from benchmarks.search.measurement_cache import Measured, cached

GRID = {
    "svc__C": [2.0**power for power in range(-2, 11, 2)],
    "svc__gamma": [2.0**power for power in range(-8, 5, 2)],
}
# The SVC is tuned on at most this many rows, and then fitted on all of them.
MOST_TUNING_ROWS = 2000


@dataclass(frozen=True)
class Task:
    """A data set with its splits."""

    x: Rows
    y: Labels
    parts: list[Split]
    budget: float | None  # seconds for "auto"; None: the default of the service


def prepared(name: str, budget: float | None) -> Task:
    from app.jobs import preload

    preload.warm_up()  # as in the process from which training processes are forked
    x, y = read_set(name)
    return Task(x, y, splits(name, y), budget)


def trained_automatically(task: Task) -> list[Predictor]:
    """Train one model per split, as the service does."""
    options: dict[str, Any] = {"params": "auto"}
    if task.budget is not None:
        options["search"] = {"time_budget": task.budget}
    if np.isnan(task.x).any():
        options["impute"] = "median"
    models = []
    for rows, _ in task.parts:
        data = TrainingData.build(Table(task.x[rows]), task.y[rows].tolist(), None)
        outcome = train(data, TrainingOptions.model_validate(options), lambda _: None)
        models.append(Predictor(outcome.predictor))
    return models


def judged_automatic(task: Task, models: Sequence[Predictor]) -> list[float]:
    return [
        float(np.mean(np.array(model.predict(Table(task.x[test])).labels) == task.y[test]))
        for model, (_, test) in zip(models, task.parts, strict=True)
    ]


def judged_by_nearer_plane(task: Task, models: Sequence[Predictor]) -> list[float]:
    """Score the same planes by the nearer plane, without the learned distance weights."""
    right = []
    for model, (_, test) in zip(models, task.parts, strict=True):
        distances = model.predict(Table(task.x[test])).distances
        assert distances is not None
        nearer = np.array(model.classes)[distances.argmin(axis=1)]
        right.append(float(np.mean(nearer == task.y[test])))
    return right


def tuned_svc(task: Task) -> list[Pipeline]:
    """Tune one SVC per split with five folds, and fit the best parameters on all rows."""
    models = []
    for rows, _ in task.parts:
        tuning = rows
        if rows.size > MOST_TUNING_ROWS:
            tuning, _ = train_test_split(
                rows, train_size=MOST_TUNING_ROWS, stratify=task.y[rows], random_state=0
            )
        model = Pipeline(
            [
                ("fill", SimpleImputer(strategy="median")),
                ("scale", MinMaxScaler()),
                ("svc", SVC(cache_size=500)),
            ]
        )
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        # libsvm releases the interpreter lock, so threads suffice, and their CPU time is counted.
        with parallel_config("threading", n_jobs=os.cpu_count()):
            search = GridSearchCV(model, GRID, cv=folds, refit=False)
            search.fit(task.x[tuning], task.y[tuning])
        models.append(model.set_params(**search.best_params_).fit(task.x[rows], task.y[rows]))
    return models


def judged_svc(task: Task, models: Sequence[Pipeline]) -> list[float]:
    return [
        float(model.score(task.x[test], task.y[test]))
        for model, (_, test) in zip(models, task.parts, strict=True)
    ]


@dataclass(frozen=True)
class Side:
    """Result of one side of the comparison."""

    right: list[float]  # accuracy per split
    wall: float  # seconds per split
    cpu: float


def measured(
    train_all: Callable[[Task], Any], judge: Callable[..., Any], task: Task
) -> tuple[Side, Any]:
    """Train and score one side; return its result and its models."""
    wall, cpu = time.perf_counter(), time.process_time()
    models = train_all(task)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    n_splits = len(task.parts)
    return Side(judge(task, models), wall / n_splits, cpu / n_splits), models


def compared(name: str, budget: float | None) -> Measured:
    """Measure both sides on the same splits."""
    task = prepared(name, budget)
    auto, models = measured(trained_automatically, judged_automatic, task)
    svc, _ = measured(tuned_svc, judged_svc, task)
    return {
        "nearer_plane": judged_by_nearer_plane(task, models),
        "shape": [task.parts[0][0].size, task.x.shape[1]],
        "auto": asdict(auto),
        "svc": asdict(svc),
    }


def row(name: str, budget: float | None) -> tuple[str, float, float, float]:
    """Return a line of the table, two differences in percentage points and the ratio of CPU times.

    The differences are those to the SVC and to the rule of the nearer plane.
    """
    found = cached("newcomer", name, budget, lambda: compared(name, budget))
    auto, svc = Side(**found["auto"]), Side(**found["svc"])
    n_train, n_features = found["shape"]
    ours, theirs = (100.0 * np.array(side.right) for side in (auto, svc))
    n_splits = ours.size
    gained = round(float(np.mean(ours - 100.0 * np.array(found["nearer_plane"]))), 2) + 0.0
    difference = round(float(np.mean(ours - theirs)), 2) + 0.0  # no minus zero
    noise = "" if n_splits == 1 else f" ± {np.std(ours - theirs, ddof=1) / np.sqrt(n_splits):.2f}"
    line = (
        f"| {name} | {n_train:,} x {n_features} | {n_splits} | {ours.mean():.2f} | {gained:+.2f} "
        f"| {theirs.mean():.2f} | **{difference:+.2f}**{noise} | {auto.cpu:.1f} "
        f"| {svc.cpu:.1f} | **{svc.cpu / auto.cpu:.1f} x** "
        f"| {auto.wall:.1f} | {svc.wall:.1f} |"
    )
    return line, difference, gained, svc.cpu / auto.cpu


def rows(names: Sequence[str] = ALL_SETS, budget: float | None = None) -> list[str]:
    lines, differences, gains, ratios = [], [], [], []
    for name in names:
        line, difference, gained, ratio = row(name, budget)
        lines.append(line)
        differences.append(difference)
        gains.append(gained)
        ratios.append(ratio)
        print(line, flush=True)
    lines.append(
        f"| **all {len(lines)}** | | | | **{np.mean(gains):+.2f}** | "
        f"| **{np.mean(differences):+.2f}** | | "
        f"| **{np.exp(np.mean(np.log(ratios))):.1f} x** | | |"
    )
    print(lines[-1], flush=True)
    return lines


HEADER = [
    "| set | rows to train x features | splits | auto, % | by its weights | SVC, % | difference "
    "| auto, CPU s | SVC, CPU s | CPU ratio | auto, s | SVC, s |",
    "|---|---|---|---|---|---|---|---|---|---|---|---|",
]
