"""The parameter search of a training job, and its stored results.

Scaling, imputation and encoding are learned inside every fold from its training rows only.
Therefore the search receives row numbers instead of rows, and a transformer that turns them into
inputs.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from app.errors import TrainingRejected
from app.pipeline.data import TrainingData
from app.pipeline.fitting import estimator_for, inputs_of
from app.pipeline.preprocess import Matrix, Preprocessor
from app.pipeline.progress import Progress
from app.pipeline.search_table import ranked, table_row
from app.schemas.search import Search
from app.schemas.training import EstimatorParams, TrainingOptions
from frtsvm_core.cores import available_cores
from frtsvm_core.model_selection import Calibration, FRTSVMSearchCV, SearchProgress, StopSearch
from frtsvm_core.model_selection.auto import SEARCH_SHARE
from frtsvm_core.model_selection.distance_weights import LearnedBalance

#: Parameters that the plan "auto" chooses unless the caller fixes them.
VARIED = ("kernel", "gamma", "c1", "c3", "penalty", "membership", "mu", "rank")
#: Number of configurations in the model info. All of them are in the evidence.
N_BEST = 10
#: Progress that is reported when the plan "auto" has evaluated all configurations planned so far.
#: It is less than 1, because the plan adds configurations as it proceeds.
KNOWN_SHARE = 0.7


class NothingTried(Exception):
    """The search was stopped before any configuration was evaluated on all folds."""


@dataclass(frozen=True)
class SearchOutcome:
    """The result of a search."""

    params: EstimatorParams
    """Parameters for the fit on all rows."""
    balance: LearnedBalance | None
    calibration: Calibration | None
    summary: dict[str, Any]
    """Part of the model info."""
    table: dict[str, Any]
    """All evaluated configurations, as plain data."""


def find_parameters(
    data: TrainingData,
    options: TrainingOptions,
    budget: float,
    progress: Progress,
    stop: Callable[[], bool],
) -> SearchOutcome:
    """Search for at most about `budget` seconds, or until `stop()` is true."""
    search = options.search
    assert search is not None
    callback = _SearchCallback(search, budget, progress, stop)
    fixed = sorted(options.params.model_fields_set)
    n_folds = search.folds_for(int(data.class_counts().min()))
    found = FRTSVMSearchCV(
        estimator_for(options.params, data),
        "auto" if search.grid is None else search.grid.lists(),
        cv=StratifiedKFold(n_folds, shuffle=True, random_state=search.seed),
        scoring=search.scoring,
        refit=False,
        preprocessing=TablePreprocessing(data, options),
        fixed=tuple(name for name in fixed if name in VARIED),
        probability=search.probability,
        balance="auto" if search.balance is None else search.balance,
        time_budget=budget,
        # More threads than folds would work on several kernels at a time and need memory for each.
        n_jobs=min(n_folds, available_cores()),
        random_state=search.seed,
    )
    numbers = np.arange(data.table.n_rows, dtype=np.float64)[:, None]
    try:
        found.fit(numbers, data.codes, sample_weight=data.weights, callback=callback)
    except StopSearch:
        raise NothingTried from None
    except (ValueError, np.linalg.LinAlgError, FloatingPointError) as error:
        raise TrainingRejected(f"The search failed: {str(error)[:500]}") from error
    table = _table(found.cv_results_, data.table.n_rows)
    best = found.best_index_
    given = options.params.model_dump()
    summary = {
        "plan": search.plan,
        "grid": None if search.grid is None else search.grid.lists(),
        "fixed": {name: given[name] for name in fixed},
        "folds": found.n_splits_,
        "scoring": search.scoring,
        "seed": search.seed,
        "time_budget": search.time_budget,
        "seconds": round(time.monotonic() - callback.began, 4),
        "n_configurations": len(table["params"]),
        "n_planned": callback.planned,
        "stopped_early": callback.stopped or ("time_budget" if found.stopped_ else None),
        "best_params": _plain(found.best_params_),
        "best_score": found.best_score_,
        "best_std": float(table["std"][best]),
        "best_number": int(best),
        "best": [table_row(table, row) for row in ranked(table)[:N_BEST].tolist()],
    }
    calibration = found.calibration_ if search.probability else None
    # Not validated: a search may choose parameters outside the bounds for callers.
    params = options.params.model_copy(update=_plain(found.refit_params_))
    return SearchOutcome(params, found.balance_, calibration, summary, table)


class TablePreprocessing:
    """A transformer from row numbers of a table to the inputs of a model."""

    def __init__(self, data: TrainingData, options: TrainingOptions) -> None:
        self._data, self._options = data, options
        self._fitted: Preprocessor | None = None

    def __sklearn_clone__(self) -> TablePreprocessing:
        return TablePreprocessing(self._data, self._options)  # the table is not copied

    def fit(self, numbers: Matrix, _labels: Any = None) -> TablePreprocessing:
        """Learn the preprocessing from these rows."""
        self._fitted = Preprocessor.fit(self._data.table.subset(_rows(numbers)), self._options)
        return self

    def transform(self, numbers: Matrix) -> Matrix:
        """Return the inputs of these rows."""
        assert self._fitted is not None
        return inputs_of(self._fitted, self._data.table.subset(_rows(numbers)))


def _rows(numbers: Matrix) -> NDArray[np.intp]:
    return numbers[:, 0].astype(np.intp)


class _SearchCallback:
    """The callback of the search: reports its progress, and stops it on request or in time."""

    def __init__(
        self, search: Search, budget: float, progress: Progress, stop: Callable[[], bool]
    ) -> None:
        self._automatic = search.plan == "auto"
        self._budget, self._progress, self._stop = budget, progress, stop
        self.began = time.monotonic()
        self.stopped: str | None = None
        self.planned = 0

    def __call__(self, event: SearchProgress) -> None:
        self.planned = event.total
        done = event.tried / event.total if event.total else 0.0
        if self._automatic:
            done *= KNOWN_SHARE
        best = event.best_params
        self._progress.search(
            max(done, event.seconds / self._budget),
            {
                "phase": event.phase,
                "tried": event.tried,
                "planned": event.total,
                "best_score": event.best_score,
                "best_params": None if best is None else _plain(best),
                "seconds": round(event.seconds, 1),
                "seconds_left": round(self._seconds_left(event.seconds, done), 1),
            },
        )
        if event.phase != "search":
            return
        if self._stop():
            self.stopped = "requested"
            raise StopSearch
        # The plan "auto" watches its own time. The remaining time is for calibration and refit.
        late = event.seconds > SEARCH_SHARE * self._budget
        if late and event.tried and not self._automatic:
            self.stopped = "time_budget"
            raise StopSearch

    def _seconds_left(self, seconds: float, done: float) -> float:
        """Estimate the remaining time at the present pace, at most the rest of the budget."""
        left = max(0.0, self._budget - seconds)
        return min(left, seconds * (1.0 - done) / done) if done > 0.0 else left


def _table(results: dict[str, Any], n_rows: int) -> dict[str, Any]:
    """Return the columns of `cv_results_` that cannot be computed from others."""
    n_configurations = len(results["params"])
    n_folds = sum(name.startswith("split") for name in results)
    scores = [results[f"split{fold}_test_score"] for fold in range(n_folds)]
    return {
        "params": [_plain(params) for params in results["params"]],
        "scores": np.stack(scores, axis=1),
        "mean": np.asarray(results["mean_test_score"], np.float64),
        "std": np.asarray(results["std_test_score"], np.float64),
        "rank": np.asarray(results["rank_test_score"], np.int64),
        "fit_seconds": np.asarray(results["mean_fit_time"], np.float64),
        "stage": np.asarray(results.get("stage", np.zeros(n_configurations)), np.int64),
        "n_rows": np.asarray(results.get("n_rows", np.full(n_configurations, n_rows)), np.int64),
    }


def _plain(params: Any) -> dict[str, Any]:
    """Return the parameters with NumPy scalars as Python numbers."""
    return {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in params.items()
    }
