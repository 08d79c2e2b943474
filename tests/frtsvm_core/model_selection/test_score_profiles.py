"""Score profiles and surfaces are maxima over the results table."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_moons

from frtsvm_core.model_selection import FRTSVMSearchCV, score_profile, score_surface


@pytest.fixture(scope="module")
def table() -> dict[str, Any]:
    x, y = make_moons(80, noise=0.3, random_state=0)
    grid = [
        {"kernel": ["linear"], "c1": [0.1, 10.0], "c3": [1.0]},
        {"gamma": [0.5, 2.0, "scale"], "c1": [0.1, 1.0], "c3": [0.5, 1.0], "mu": [0.1, 0.3]},
        {"membership": ["none"], "mu": [0.7]},
    ]
    search = FRTSVMSearchCV(None, grid, cv=3, refit=False, random_state=0).fit(x, y)
    results: dict[str, Any] = search.cv_results_
    return results


def scores_where(table: dict[str, Any], **wanted: Any) -> list[float]:
    return [
        score
        for params, score in zip(table["params"], table["mean_test_score"], strict=True)
        if all(params.get(name) == value for name, value in wanted.items())
    ]


def test_a_profile_is_the_best_score_over_all_other_parameters(table: dict[str, Any]) -> None:
    profile = score_profile(table, "gamma")
    np.testing.assert_array_equal(profile.values, [0.5, 2.0])
    for gamma, score, count in zip(profile.values, profile.score, profile.count, strict=True):
        assert score == max(scores_where(table, gamma=gamma))
        assert count == 8
    assert profile.to_dict()["score"] is profile.score


def test_the_profile_of_mu_ignores_candidates_without_memberships(table: dict[str, Any]) -> None:
    np.testing.assert_array_equal(score_profile(table, "mu").values, [0.1, 0.3])


def test_a_surface_has_nan_where_nothing_was_tried(table: dict[str, Any]) -> None:
    surface = score_surface(table)
    np.testing.assert_array_equal(surface.rows.values, [0.1, 1.0, 10.0])
    np.testing.assert_array_equal(surface.columns.values, [0.5, 1.0])
    assert np.isnan(surface.score[2, 0])
    for i, c1 in enumerate(surface.rows.values):
        for j, c3 in enumerate(surface.columns.values):
            found = scores_where(table, c1=c1, c3=c3)
            assert not found or surface.score[i, j] == max(found)


def test_only_candidates_on_the_same_rows_are_combined(table: dict[str, Any]) -> None:
    n_rows = np.full(len(table["params"]), 80)
    n_rows[:2] = 40  # the linear candidates
    staged = {**table, "n_rows": n_rows, "stage": n_rows // 80}
    profile = score_profile(staged, "c1")
    np.testing.assert_array_equal(profile.values, [0.1, 1.0])


def test_a_stage_that_does_not_vary_a_parameter_is_ignored() -> None:
    """Its best of many candidates at one value is not comparable with single candidates."""
    mus = [0.1, 0.1, 0.1, 0.01, 0.1, 1.0]
    table = {
        "params": [{"mu": mu, "membership": "center"} for mu in mus],
        "mean_test_score": np.array([0.99, 0.8, 0.7, 0.81, 0.82, 0.83]),
        "std_test_score": np.zeros(6),
        "stage": np.array([0, 0, 0, 1, 1, 1]),
        "n_rows": np.full(6, 80),
    }
    profile = score_profile(table, "mu")
    np.testing.assert_array_equal(profile.score, [0.81, 0.82, 0.83])


def test_a_failed_candidate_is_never_the_best() -> None:
    table = {
        "params": [{"c1": 1.0}, {"c1": 1.0}, {"c1": 2.0}],
        "mean_test_score": np.array([np.nan, 0.5, np.nan]),
        "std_test_score": np.array([np.nan, 0.1, np.nan]),
    }
    profile = score_profile(table, "c1")
    assert profile.score[0] == 0.5
    assert np.isnan(profile.score[1])


def test_the_error_names_a_parameter_without_numeric_values(table: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="sets 'kernel' to a number"):
        score_profile(table, "kernel")
