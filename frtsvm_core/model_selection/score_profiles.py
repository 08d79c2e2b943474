"""Score profiles and surfaces of a search, as arrays for plots.

The profile of a parameter is, for each of its values, the best mean score over all other
parameters. With search="auto", a profile combines only candidates whose scores are comparable: it
takes the stages that vary the parameter, and among them those that ran on the same number of rows.
If there are several such numbers, it takes the one with the most candidates.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class ScoreProfile:
    """Best score for each value of one parameter.

    Attributes
    ----------
    parameter : str
        Name of the parameter.
    values : ndarray of shape (n_values,)
        Its values, ascending.
    score : ndarray of shape (n_values,)
        Best mean score over all other parameters.
    std : ndarray of shape (n_values,)
        Standard deviation over the folds, of the candidate with the best score.
    count : ndarray of shape (n_values,)
        Number of candidates with this value.
    """

    parameter: str
    values: FloatArray
    score: FloatArray
    std: FloatArray
    count: NDArray[np.int64]

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return {
            "parameter": self.parameter,
            "values": self.values,
            "score": self.score,
            "std": self.std,
            "count": self.count,
        }


@dataclass(frozen=True)
class ScoreSurface:
    """Best score for each pair of values of two parameters.

    Attributes
    ----------
    rows, columns : ScoreProfile
        Profiles of the two parameters.
    score : ndarray of shape (n_row_values, n_column_values)
        Best mean score for each pair of values; NaN for pairs that were not tried.
    """

    rows: ScoreProfile
    columns: ScoreProfile
    score: FloatArray

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return {
            "rows": self.rows.to_dict(),
            "columns": self.columns.to_dict(),
            "score": self.score,
        }


def score_profile(cv_results: Mapping[str, Any], parameter: str) -> ScoreProfile:
    """Return the best score for each value of a numeric parameter.

    Parameters
    ----------
    cv_results : mapping
        The attribute `cv_results_` of a fitted search.
    parameter : str
        Name of a parameter such as "gamma". Candidates with membership="none" are left out of the
        profile of "mu", which has no effect on them.

    Returns
    -------
    profile : ScoreProfile
        The values of the parameter, and the best score for each of them.

    Raises
    ------
    ValueError
        If no candidate sets the parameter to a number.

    See Also
    --------
    score_surface : Best score for each pair of values of two parameters.
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
    """Return the best score for each pair of values of two numeric parameters.

    Parameters
    ----------
    cv_results : mapping
        The attribute `cv_results_` of a fitted search.
    rows, columns : str, default="c1" and "c3"
        Names of the two parameters.

    Returns
    -------
    surface : ScoreSurface
        The profiles of both parameters, and the best score for each pair of values.

    Raises
    ------
    ValueError
        If no candidate sets one of the parameters to a number.

    See Also
    --------
    score_profile : Best score for each value of one parameter.
    """
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
    """Return the numbers of the candidates that can be compared with each other.

    These are the candidates of the stages that vary each parameter (of all stages if none does), on
    the number of rows with the most candidates. A stage that does not vary a parameter would
    contribute the best of many candidates to a single value, and so overstate its score.
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
    """Return comparable candidates that set the parameter to a number, and these numbers."""
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
        raise ValueError(
            f"No candidate of this search sets {parameter!r} to a number. Choose a numeric "
            "parameter that was searched."
        )
    numbers = np.array([float(params[number][parameter]) for number in chosen])
    if "stage" in cv_results:
        stages, n_rows = (np.asarray(cv_results[name])[chosen] for name in ("stage", "n_rows"))
        same = comparable(stages, n_rows, [numbers])
        chosen, numbers = chosen[same], numbers[same]
    return chosen, numbers


def _best_of(scores: FloatArray, index: NDArray[np.intp]) -> int:
    known = np.nan_to_num(scores[index], nan=-np.inf)
    return int(index[known.argmax()])
