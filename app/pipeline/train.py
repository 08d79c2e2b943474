"""A training job, from the data to the artifacts to store. Runs in a separate process."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version as library_version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.pipeline.convergence import RecordedSweeps
from app.pipeline.data import TrainingData
from app.pipeline.describe import describe, describe_decision, describe_probability
from app.pipeline.fitting import fit, inputs_of
from app.pipeline.format import FORMAT
from app.pipeline.measure import combine, n_splits, scores, splits
from app.pipeline.memory import within_memory
from app.pipeline.preprocess import Preprocessor
from app.pipeline.progress import Progress, Report
from app.pipeline.search import NothingTried, SearchOutcome, find_parameters
from app.schemas.search import DEFAULT_SECONDS
from app.schemas.table import Table
from app.schemas.training import TrainingOptions
from frtsvm_core import FRTSVMClassifier, from_arrays, to_arrays

__all__ = ["NothingTried", "Outcome", "train"]


@dataclass(frozen=True)
class Outcome:
    """The result of a training job: two artifacts and the stored part of the model info."""

    predictor: dict[str, Any]
    evidence: dict[str, Any]
    info: dict[str, Any]


def train(
    data: TrainingData,
    options: TrainingOptions,
    report: Report,
    *,
    stop: Callable[[], bool] = lambda: False,
    memory: int | None = None,
) -> Outcome:
    """Search for parameters if requested, fit on all rows, and validate if requested.

    `stop` is called regularly. After it has returned True, the best parameters so far are fitted,
    and the validation is skipped. `NothingTried` is raised if there are no such parameters yet.
    """
    n_fits, n_searches = n_splits(options.validation) + 1, 0
    if options.search is not None:
        n_searches = n_fits
    progress = Progress(n_fits, options.params.tol, report, n_searches)
    clock = _Stopwatch()
    validation = unseen = None
    if options.search is None:
        progress.phase("validating")
        validation, unseen = _validate(data, options, progress, stop, 0.0)
        clock.lap("validation")
    seconds, seconds_per_fold = _budgets(options)
    chosen, found = _choose(data, options, progress, stop, "searching", seconds)
    if found is not None:
        chosen = within_memory(data, chosen, memory)
        clock.lap("search")

    preprocessor = Preprocessor.fit(data.table, chosen)
    inputs = inputs_of(preprocessor, data.table)
    progress.next_fit("training")
    recorded = RecordedSweeps(progress)
    estimator = _with_distance_weights(fit(chosen.params, inputs, data, recorded.sweep), found)
    clock.lap("fit")
    if options.search is not None:  # after the fit, so that a stop request leaves a model
        validation, unseen = _validate(data, options, progress, stop, seconds_per_fold)
        clock.lap("validation")

    progress.phase("evaluating", 96.0)
    state = to_arrays(estimator)
    decision = from_arrays(state).decide(inputs)
    clock.lap("evaluation")
    progress.phase("saving", 98.0)

    calibration = None if found is None else found.calibration
    evidence = {
        "format": FORMAT,
        "memberships": np.asarray(estimator.memberships_, np.float64),
        "suspected": np.asarray(estimator.suspected_noise_, np.bool_),
        "codes": data.codes.astype(np.int32),
        "predicted": decision.codes.astype(np.int32),
        "unseen": unseen,
        "distances": decision.distances,
        "search": None if found is None else found.table,
    }
    predictor = {
        "format": FORMAT,
        "model": state,
        "preprocess": preprocessor.to_state(),
        "names": None if data.table.names is None else list(data.table.names),
        "n_columns": data.table.n_columns,
        "impute": options.impute == "median",
        "classes": list(data.classes),
        "calibration": None if calibration is None else calibration.to_arrays(),
    }
    info = describe(data, chosen, preprocessor, estimator, evidence)
    info["validation"] = validation
    info["search"] = None if found is None else found.summary
    info["decision"] = None if found is None else describe_decision(data, estimator, found.balance)
    info["probability"] = None if calibration is None else describe_probability(calibration)
    info["convergence"] = recorded.curves()
    info["timings"] = clock.seconds
    info["libraries"] = libraries()
    info["format"] = FORMAT
    return Outcome(predictor, evidence, info)


def libraries() -> dict[str, str]:
    """Return the versions of Python and of the libraries."""
    names = ("frtsvm-service", "numpy", "scipy", "numba", "scikit-learn", "joblib")
    return {"python": platform.python_version(), **{n: library_version(n) for n in names}}


def _choose(
    data: TrainingData,
    options: TrainingOptions,
    progress: Progress,
    stop: Callable[[], bool],
    phase: str,
    seconds: float,
    *,
    shown: bool = True,
) -> tuple[TrainingOptions, SearchOutcome | None]:
    """Return the options with the parameters to fit, and the outcome of the search, if any."""
    if options.search is None:
        return options, None
    progress.next_search(phase, shown=shown)
    found = find_parameters(data, options, seconds, progress, stop)
    return options.model_copy(update={"params": found.params}), found


def _budgets(options: TrainingOptions) -> tuple[float, float]:
    """Return the seconds for the search on all rows and for the one in each validation fold."""
    if options.search is None:
        return 0.0, 0.0
    total = options.search.time_budget or DEFAULT_SECONDS
    n_folds = n_splits(options.validation)
    return (total, 0.0) if n_folds == 0 else (total / 2, total / 2 / n_folds)


def _validate(
    data: TrainingData,
    options: TrainingOptions,
    progress: Progress,
    stop: Callable[[], bool],
    seconds_per_fold: float,
) -> tuple[dict[str, Any] | None, NDArray[np.int32] | None]:
    """Return the validation scores and the out-of-fold prediction of each row (-1: none).

    Everything is learned again in every fold, including preprocessing and parameters.
    """
    if options.validation is None:
        return None, None
    folds: list[dict[str, Any]] = []
    unseen = np.full(data.table.n_rows, -1, np.int32)
    total = n_splits(options.validation)
    seed = options.params.random_state
    for train_rows, test_rows in splits(data.codes, options.validation, seed):
        phase = f"validating {len(folds) + 1}/{total}"
        part = data.subset(train_rows)
        try:
            chosen, found = _choose(
                part, options, progress, stop, phase, seconds_per_fold, shown=False
            )
        except NothingTried:
            return None, None
        if stop():
            return None, None
        progress.next_fit(phase)
        predict = _predictor(part, chosen, found, progress)
        del part  # free the data of this fold before those of the next one are created
        unseen[test_rows] = codes = predict(data.table.subset(test_rows))
        fold = scores(data.codes[test_rows], codes, len(data.classes))
        folds.append({**fold, "n_train": len(train_rows), "n_test": len(test_rows)})
    return combine(options.validation, folds), unseen


def _predictor(
    part: TrainingData, chosen: TrainingOptions, found: SearchOutcome | None, progress: Progress
) -> Callable[[Table], NDArray[np.int64]]:
    """Fit a model on the rows of one fold and return its prediction function."""
    preprocessor = Preprocessor.fit(part.table, chosen)
    estimator = fit(chosen.params, inputs_of(preprocessor, part.table), part, progress.sweep)
    model = from_arrays(to_arrays(_with_distance_weights(estimator, found)))
    return lambda table: model.classes_[model.decide(inputs_of(preprocessor, table)).codes]


def _with_distance_weights(
    estimator: FRTSVMClassifier, found: SearchOutcome | None
) -> FRTSVMClassifier:
    """Set the distance weights that the search has learned, if any."""
    balance = None if found is None else found.balance
    return estimator.set_distance_weights(None if balance is None else balance.balance)


class _Stopwatch:
    """Measures the seconds of each stage."""

    def __init__(self) -> None:
        self._since = time.perf_counter()
        self.seconds = {"validation_seconds": 0.0}

    def lap(self, name: str) -> None:
        """Record the time since the previous lap under this name."""
        now = time.perf_counter()
        self.seconds[f"{name}_seconds"] = round(now - self._since, 4)
        self._since = now
