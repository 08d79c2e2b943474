"""Results table of a search, with the columns of scikit-learn's GridSearchCV."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.ma import MaskedArray
from numpy.typing import NDArray
from scipy.stats import rankdata

from frtsvm_core.model_selection.candidates import Params
from frtsvm_core.model_selection.fold import Fold, Rows

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Evaluation:
    """Scores and times of one candidate on all folds."""

    params: Params
    scores: FloatArray  # per fold; `error_score` where the fit failed
    fit_times: FloatArray
    score_times: FloatArray

    @property
    def mean(self) -> float:
        """Mean score over the folds."""
        return float(np.mean(self.scores))


@dataclass(frozen=True)
class Outcome:
    """Result of a search.

    Attributes
    ----------
    table : dict
        The table for `cv_results_`.
    best : int
        Position of the best candidate in the table.
    refit_params : mapping
        The best parameters, converted for a fit on all rows.
    rows : Rows
        The rows on which the best candidate was evaluated.
    folds : sequence of Fold
        The folds of these rows.
    stopped : bool
        Whether the callback or the time budget ended the search.
    """

    table: dict[str, Any]
    best: int
    refit_params: Params
    rows: Rows
    folds: Sequence[Fold]
    stopped: bool


def results_table(evaluations: Sequence[Evaluation]) -> dict[str, Any]:
    """Return the table for `cv_results_`; the time of shared work is divided equally."""
    scores = np.array([evaluation.scores for evaluation in evaluations])
    table: dict[str, Any] = {}
    for name, times in (
        ("fit_time", np.array([evaluation.fit_times for evaluation in evaluations])),
        ("score_time", np.array([evaluation.score_times for evaluation in evaluations])),
    ):
        table[f"mean_{name}"] = np.average(times, axis=1)
        table[f"std_{name}"] = np.std(times, axis=1)
    params = [dict(evaluation.params) for evaluation in evaluations]
    table |= _parameter_columns(params)
    table["params"] = params
    for fold in range(scores.shape[1]):
        table[f"split{fold}_test_score"] = scores[:, fold]
    means = np.average(scores, axis=1)
    if np.isnan(means).any():
        warnings.warn(
            f"{int(np.isnan(means).sum())} of {len(means)} candidates failed on at least one fold; "
            "their mean score is NaN, so they rank last.",
            UserWarning,
            stacklevel=3,
        )
    table["mean_test_score"] = means
    table["std_test_score"] = np.std(scores, axis=1)
    table["rank_test_score"] = _ranks(means)
    return table


def _ranks(means: FloatArray) -> NDArray[np.int32]:
    """Return ranks from 1 for the best; equal means share a rank, and failures come last."""
    if np.isnan(means).all():
        return np.ones(means.size, dtype=np.int32)
    known = np.where(np.isnan(means), np.nanmin(means) - 1.0, means)
    return np.asarray(rankdata(-known, method="min"), dtype=np.int32)


def _parameter_columns(params: Sequence[Params]) -> dict[str, MaskedArray[Any, Any]]:
    """Return one column per parameter, masked where a candidate does not set it."""
    names = dict.fromkeys(name for candidate in params for name in candidate)
    columns = {}
    for name in names:
        given = {
            number: candidate[name] for number, candidate in enumerate(params) if name in candidate
        }
        numeric = all(
            isinstance(value, int | float | np.number) and not isinstance(value, bool)
            for value in given.values()
        )
        dtype = np.array(list(given.values())).dtype if numeric else np.dtype(object)
        column: MaskedArray[Any, Any] = MaskedArray(np.empty(len(params), dtype=dtype), mask=True)
        for number, value in given.items():
            column[number] = value
        columns[f"param_{name}"] = column
    return columns
