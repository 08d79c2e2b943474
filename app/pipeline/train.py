"""One training, from data to what is stored. Runs in a process of its own."""

from __future__ import annotations

import platform
import time
from dataclasses import dataclass
from importlib.metadata import version as library_version
from typing import Any

import numpy as np

from app.errors import TrainingRejected
from app.pipeline.curves import RecordedSweeps, Watcher
from app.pipeline.data import TrainingData, label_text
from app.pipeline.describe import describe
from app.pipeline.format import FORMAT
from app.pipeline.measure import combine, n_splits, scores, splits
from app.pipeline.preprocess import Matrix, Preprocessor
from app.pipeline.progress import Progress, Report
from app.schemas.table import Table, TextColumn
from app.schemas.training import TrainingOptions
from frtsvm_core import FRTSVMClassifier, from_arrays, to_arrays


@dataclass(frozen=True)
class Outcome:
    """What a training leaves: two artifacts and the stored part of the model info."""

    predictor: dict[str, Any]
    evidence: dict[str, Any]
    info: dict[str, Any]


def train(data: TrainingData, options: TrainingOptions, report: Report) -> Outcome:
    """Validate if asked, then fit on all rows."""
    progress = Progress(n_splits(options.validation) + 1, options.params.tol, report)
    started = time.perf_counter()
    progress.phase("validating")
    validation = _validate(data, options, progress)
    validated = time.perf_counter()

    preprocessor = Preprocessor.fit(data.table, options)
    inputs = _inputs(preprocessor, data.table)
    progress.next_fit("training")
    recorded = RecordedSweeps(progress)
    estimator = _fit(inputs, data, options, recorded)
    fitted = time.perf_counter()

    progress.phase("evaluating", 96.0)
    state = to_arrays(estimator)
    decision = from_arrays(state).decide(inputs)
    evaluated = time.perf_counter()
    progress.phase("saving", 98.0)

    evidence = {
        "format": FORMAT,
        "memberships": np.asarray(estimator.memberships_, np.float64),
        "suspected": np.asarray(estimator.suspected_noise_, np.bool_),
        "codes": data.codes.astype(np.int32),
        "predicted": decision.codes.astype(np.int32),
        "distances": decision.distances,
    }
    predictor = {
        "format": FORMAT,
        "model": state,
        "preprocess": preprocessor.to_state(),
        "names": None if data.table.names is None else list(data.table.names),
        "n_columns": data.table.n_columns,
        "impute": options.impute == "median",
        "classes": list(data.classes),
    }
    info = describe(data, options, preprocessor, estimator, evidence)
    info["validation"] = validation
    info["convergence"] = recorded.curves()
    info["timings"] = {
        "validation_seconds": round(validated - started, 4),
        "fit_seconds": round(fitted - validated, 4),
        "evaluation_seconds": round(evaluated - fitted, 4),
    }
    info["libraries"] = libraries()
    info["format"] = FORMAT
    return Outcome(predictor, evidence, info)


def libraries() -> dict[str, str]:
    """Versions that made a model."""
    names = ("frtsvm-service", "numpy", "scipy", "numba", "scikit-learn", "joblib")
    return {"python": platform.python_version(), **{n: library_version(n) for n in names}}


def _validate(
    data: TrainingData, options: TrainingOptions, progress: Progress
) -> dict[str, Any] | None:
    if options.validation is None:
        return None
    folds: list[dict[str, Any]] = []
    total = n_splits(options.validation)
    seed = options.params.random_state
    for train_rows, test_rows in splits(data.codes, options.validation, seed):
        progress.next_fit(f"validating {len(folds) + 1}/{total}")
        part, rest = subset(data, train_rows), subset(data, test_rows)
        preprocessor = Preprocessor.fit(part.table, options)
        estimator = _fit(_inputs(preprocessor, part.table), part, options, progress)
        model = from_arrays(to_arrays(estimator))
        found = model.classes_[model.decide(_inputs(preprocessor, rest.table)).codes]
        fold = scores(rest.codes, found, len(data.classes))
        folds.append({**fold, "n_train": len(train_rows), "n_test": len(test_rows)})
    return combine(options.validation, folds)


def _fit(
    inputs: Matrix, data: TrainingData, options: TrainingOptions, progress: Watcher
) -> FRTSVMClassifier:
    params = options.params.model_dump()
    weights = params["class_weight"]
    if isinstance(weights, dict):
        classes: list[Any] = list(data.classes)
        by_text = {label_text(label): code for code, label in enumerate(classes)}
        params["class_weight"] = {by_text[text]: weight for text, weight in weights.items()}
    estimator = FRTSVMClassifier(**params)
    try:
        estimator.fit(inputs, data.codes, sample_weight=data.weights, callback=progress.sweep)
    except (ValueError, np.linalg.LinAlgError, FloatingPointError) as error:
        raise TrainingRejected(f"the training failed: {str(error)[:500]}") from error
    if not np.isfinite(np.asarray(estimator.plane_norms_)).all():
        raise TrainingRejected("the training gave planes that are not finite")
    return estimator


def _inputs(preprocessor: Preprocessor, table: Table) -> Matrix:
    with np.errstate(over="ignore", invalid="ignore"):
        inputs = preprocessor.transform(table)
    if not np.isfinite(inputs).all():
        column = int(np.argwhere(~np.isfinite(inputs))[0, 1])
        raise TrainingRejected(f"input {column} is too large to be scaled in double precision")
    return inputs


def subset(data: TrainingData, rows: Any) -> TrainingData:
    """Some rows. The classes stay, so that the codes mean the same."""
    texts = {
        column: TextColumn(text.codes[rows], text.vocabulary)
        for column, text in data.table.texts.items()
    }
    table = Table(data.table.numbers[rows], data.table.names, texts)
    weights = None if data.weights is None else data.weights[rows]
    return TrainingData(table, data.codes[rows], data.classes, weights)
