"""What a search has seen, as arrays for plots.

Each value is a profile: the best mean score over all other parameters. Only candidates that were
compared on the same rows are put together; of the stages of an automatic search that vary the parameter
these are the largest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class ScoreProfile:
    """The best score for each value of one parameter."""

    parameter: str
    values: FloatArray  # ascending
    score: FloatArray
    std: FloatArray  # over the folds, of the candidate that reached it
    count: NDArray[np.int64]  # candidates behind it

    def to_dict(self) -> dict[str, Any]:
        return {
            "parameter": self.parameter,
            "values": self.values,
            "score": self.score,
            "std": self.std,
            "count": self.count,
        }


@dataclass(frozen=True)
class ScoreSurface:
    """The best score for each pair of values of two parameters; NaN where none was tried."""

    rows: ScoreProfile
    columns: ScoreProfile
    score: FloatArray

    def to_dict(self) -> dict[str, Any]:
        return {
            "rows": self.rows.to_dict(),
            "columns": self.columns.to_dict(),
            "score": self.score,
        }


def score_profile(cv_results: Mapping[str, Any], parameter: str) -> ScoreProfile:
    """Scores over gamma, mu or any other parameter with numbers for values.

    mu counts only where there are memberships for it to change.
    """
    chosen, numbers = _tried(cv_results, parameter)
    scores = np.asarray(cv_results["mean_test_score"])[chosen]
    stds = np.asarray(cv_results["std_test_score"])[chosen]
    values, group = np.unique(numbers, return_inverse=True)
    best = [_best_of(scores, np.flatnonzero(group == k)) for k in range(values.size)]
    return ScoreProfile(
        parameter,
        values,
        scores[best],
        stds[best],
        np.bincount(group, minlength=values.size).astype(np.int64),
    )


def score_surface(
    cv_results: Mapping[str, Any], rows: str = "c1", columns: str = "c3"
) -> ScoreSurface:
    """Scores over two parameters."""
    row_profile, column_profile = (
        score_profile(cv_results, rows),
        score_profile(cv_results, columns),
    )
    row_chosen, row_numbers = _tried(cv_results, rows)
    column_chosen, column_numbers = _tried(cv_results, columns)
    both, at_row, at_column = np.intersect1d(
        row_chosen, column_chosen, assume_unique=True, return_indices=True
    )
    surface = np.full((row_profile.values.size, column_profile.values.size), -np.inf)
    np.maximum.at(
        surface,
        (
            np.searchsorted(row_profile.values, row_numbers[at_row]),
            np.searchsorted(column_profile.values, column_numbers[at_column]),
        ),
        np.nan_to_num(np.asarray(cv_results["mean_test_score"])[both], nan=-np.inf),
    )
    return ScoreSurface(
        row_profile, column_profile, np.where(np.isneginf(surface), np.nan, surface)
    )


def comparable(
    stages: NDArray[Any], n_rows: NDArray[Any], values: Sequence[NDArray[Any]]
) -> NDArray[np.intp]:
    """Numbers of the candidates that can be put together: most of those tried on the same rows, by
    stages that vary each of the parameters with these values; by all stages if none does.

    A stage that does not vary a parameter gives one value only, but the best of many candidates.
    """
    kept = np.arange(stages.size)
    for column in values:
        of, found = stages[kept], column[kept]
        varied = [stage for stage in set(of) if len(set(found[of == stage])) > 1]
        kept = kept[np.isin(of, varied)] if varied else kept
    sizes, counts = np.unique(n_rows[kept], return_counts=True)
    most: NDArray[np.intp] = kept[n_rows[kept] == sizes[counts.argmax()]]
    return most


def _tried(cv_results: Mapping[str, Any], parameter: str) -> tuple[NDArray[np.intp], FloatArray]:
    """The candidates to put together that set the parameter to a number, and the numbers."""
    params = cv_results["params"]
    chosen = np.array(
        [
            number
            for number, candidate in enumerate(params)
            if isinstance(candidate.get(parameter), int | float | np.number)
            and not (parameter == "mu" and candidate.get("membership") == "none")
        ],
        dtype=np.intp,
    )
    if not chosen.size:
        raise ValueError(f"no candidate of this search sets {parameter!r} to a number")
    numbers = np.array([float(params[number][parameter]) for number in chosen])
    if "stage" in cv_results:
        stages, n_rows = (np.asarray(cv_results[name])[chosen] for name in ("stage", "n_rows"))
        same = comparable(stages, n_rows, [numbers])
        chosen, numbers = chosen[same], numbers[same]
    return chosen, numbers


def _best_of(scores: FloatArray, index: NDArray[np.intp]) -> int:
    known = np.nan_to_num(scores[index], nan=-np.inf)
    return int(index[known.argmax()])
