"""search="auto": stages, time budget, stop and fixed parameters."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold
from sklearn.preprocessing import StandardScaler

from frtsvm_core import FRTSVMClassifier, TSVMClassifier
from frtsvm_core.model_selection import (
    FRTSVMSearchCV,
    SearchProgress,
    StopSearch,
    score_profile,
)
from frtsvm_core.model_selection.auto import FINAL_MU, FINE_MU, GOOD_ENOUGH, MAX_MOVES

Data = tuple[NDArray[np.float64], NDArray[np.int64]]


@pytest.fixture(scope="module")
def moons() -> Data:
    x, y = make_moons(120, noise=0.2, random_state=0)
    return x, y


@pytest.fixture
def small_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reduce the limits of the stages, so that small data are searched like large data."""
    monkeypatch.setattr("frtsvm_core.model_selection.auto.STAGE_ROWS", (60, 90, 150))
    monkeypatch.setattr("frtsvm_core.model_selection.auto.STAGE_RANK", (20, 25, 30))
    monkeypatch.setattr("frtsvm_core.model_selection.auto.EXACT_ROWS", 0)
    monkeypatch.setattr("frtsvm_core.model_selection.auto.SMALL_ROWS", 50)


def test_it_finds_the_kernel_and_fills_the_table(moons: Data) -> None:
    search = FRTSVMSearchCV(random_state=0).fit(*moons)
    assert search.best_params_["kernel"] == "rbf"
    x, y = make_moons(500, noise=0.2, random_state=1)
    assert search.score(x, y) > 0.93
    table = search.cv_results_
    assert set(table["stage"]) == {0, 1, 2, 3, 4}
    assert set(table["n_rows"]) == {120}
    assert set(table["param_kernel"]) == {"linear", "rbf"}
    assert set(table["param_membership"]) == {"center", "none", "neighbors"}
    assert table["params"][search.best_index_] == search.best_params_ == search.refit_params_
    assert table["mean_test_score"][search.best_index_] == search.best_score_
    # The score of the neighborhood counts as much as the own score, not more.
    assert search.best_score_ > table["mean_test_score"].max() - 0.03
    assert not search.stopped_


@pytest.mark.usefixtures("small_stages")
def test_no_candidate_is_evaluated_twice_on_the_same_folds() -> None:
    """Except the best one, which is compared with other memberships."""
    x, y = make_moons(600, noise=0.2, random_state=0)
    search = FRTSVMSearchCV(random_state=0, refit=False).fit(x, y)
    table = search.cv_results_
    tried = Counter(
        (n_rows, *sorted(params.items(), key=str))
        for n_rows, params in zip(table["n_rows"], table["params"], strict=True)
    )
    best = (table["n_rows"][search.best_index_], *sorted(search.best_params_.items(), key=str))
    assert [one for one, times in tried.items() if times > 1] == [best]
    assert tried[best] == 2


def test_on_small_data_the_best_are_evaluated_again_on_fresh_folds(moons: Data) -> None:
    search = FRTSVMSearchCV(random_state=0).fit(*moons)
    table = search.cv_results_
    first, again, third = (np.flatnonzero(table["stage"] == stage) for stage in (0, 1, 2))
    finalists = [table["params"][row] for row in again]
    assert finalists == [table["params"][row] for row in third]
    # All costs of the two best kernels or widths.
    kernels = {(params["kernel"], params.get("gamma")) for params in finalists}
    assert len(kernels) == 2
    assert len(again) == len(first) / 3
    # The reported score is from folds that did not take part in choosing the finalists.
    assert search.best_index_ > again[-1]
    scores = np.stack([table[f"split{fold}_test_score"] for fold in range(5)], axis=1)
    same = {k: v for k, v in search.best_params_.items() if k not in ("membership", "mu")}
    before = next(row for row in first if same.items() <= table["params"][row].items())
    assert not np.array_equal(scores[search.best_index_], scores[before])
    assert not np.array_equal(scores[again], scores[third])


def test_on_small_data_neighbors_are_compared_at_the_best_point(moons: Data) -> None:
    table = FRTSVMSearchCV(random_state=0, refit=False).fit(*moons).cv_results_
    tried = table["param_membership"]
    assert set(tried[table["stage"] <= 2]) == {"center", "none"}
    for stage in (3, 4):
        at = table["stage"] == stage
        assert sorted(table["param_mu"][at & (tried == "neighbors")]) == sorted(FINAL_MU)
        # The best point without neighbors is evaluated on the same folds.
        assert (at & (tried != "neighbors")).any()
        places = [
            {**params, "membership": None, "mu": None}
            for params, there in zip(table["params"], at, strict=True)
            if there
        ]
        assert places == [places[0]] * len(places)


def test_folds_that_are_not_random_are_not_redrawn(moons: Data) -> None:
    search = FRTSVMSearchCV(cv=StratifiedKFold(3), random_state=0, refit=False).fit(*moons)
    table = search.cv_results_
    assert len(set(table["param_mu"][table["stage"] == 0])) == 1
    # No repetition on fresh folds; stage 1 compares memberships and mu.
    assert set(table["stage"]) == {0, 1}
    at = np.flatnonzero(table["stage"])
    tried = [(table["params"][row]["membership"], table["params"][row]["mu"]) for row in at]
    assert len(set(tried)) == len(tried)


def test_on_small_data_the_best_point_is_evaluated_with_other_mu() -> None:
    x, y = make_moons(200, noise=0.3, random_state=1)
    search = FRTSVMSearchCV(fixed=("membership",), random_state=0).fit(x, y)
    table = search.cv_results_
    on_fresh, on_others = (np.flatnonzero(table["stage"] == stage) for stage in (3, 4))
    for at in (on_fresh, on_others):
        assert sorted(table["param_mu"][at]) == sorted(FINAL_MU)
        others = [{**table["params"][row], "mu": None} for row in at]
        assert others == [{**search.best_params_, "mu": None}] * len(at)
    together = table["mean_test_score"][on_fresh] + table["mean_test_score"][on_others]
    assert search.best_index_ == on_others[together.argmax()]
    np.testing.assert_array_equal(score_profile(table, "mu").values, sorted(FINAL_MU))


def test_there_is_a_profile_of_mu_if_membership_none_is_best(moons: Data) -> None:
    search = FRTSVMSearchCV(random_state=0, refit=False).fit(*moons)
    assert search.best_params_["membership"] == "none"
    assert score_profile(search.cv_results_, "mu").values.tolist() == sorted(FINAL_MU)


@pytest.mark.usefixtures("small_stages")
@pytest.mark.parametrize(("noise", "with_membership"), [(0.02, False), (0.2, True)])
def test_there_is_a_profile_of_mu_for_many_rows(noise: float, with_membership: bool) -> None:
    x, y = make_moons(600, noise=noise, random_state=0)
    search = FRTSVMSearchCV(random_state=0, refit=False).fit(x, y)
    assert (search.best_params_["membership"] != "none") == with_membership
    assert score_profile(search.cv_results_, "mu").values.tolist() == sorted(FINE_MU)


@pytest.mark.parametrize("given", [{"membership": "none"}, {"mu": 0.2}])
def test_mu_is_not_varied_if_it_has_no_effect_or_is_fixed(
    moons: Data, given: dict[str, Any]
) -> None:
    base = FRTSVMClassifier(**given)
    search = FRTSVMSearchCV(base, fixed=tuple(given), random_state=0, refit=False).fit(*moons)
    assert len(set(search.cv_results_["param_mu"])) == 1


def test_the_same_seed_gives_the_same_search(moons: Data) -> None:
    one, two = (FRTSVMSearchCV(random_state=3).fit(*moons) for _ in range(2))
    np.testing.assert_array_equal(
        one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"]
    )
    assert one.best_params_ == two.best_params_


@pytest.mark.usefixtures("small_stages")
def test_large_data_are_searched_on_samples_and_fitted_on_all_rows() -> None:
    x, y = make_moons(600, noise=0.2, random_state=0)
    weight = np.ones(600)
    search = FRTSVMSearchCV(random_state=0, probability="sigmoid").fit(x, y, sample_weight=weight)
    assert sorted(set(search.cv_results_["n_rows"])) == [60, 90, 150]
    assert search.cv_results_["n_rows"][search.best_index_] == 150
    assert search.best_estimator_.memberships_.size == 600
    growth = search.refit_params_["c1"] / search.best_params_["c1"]
    assert growth == pytest.approx(600 / 150)
    assert search.refit_params_["rank"] > 30
    assert search.score(x, y) > 0.93
    assert search.predict_proba(x).shape == (600, 2)


@pytest.mark.parametrize(("fixed", "power"), [((), 1), (("penalty",), 2)])
@pytest.mark.usefixtures("small_stages")
def test_the_penalty_of_kernel_planes_is_function_unless_it_is_fixed(
    fixed: tuple[str, ...], power: int
) -> None:
    x, y = make_moons(600, noise=0.2, random_state=0)
    base = FRTSVMClassifier("rbf", penalty="coefficients")
    search = FRTSVMSearchCV(base, fixed=("kernel", *fixed), random_state=0).fit(x, y)
    expected = "coefficients" if fixed else "function"
    assert set(search.cv_results_["param_penalty"]) == {expected}
    assert search.best_estimator_.penalty == expected
    growth = search.refit_params_["c1"] / search.best_params_["c1"]
    assert growth == pytest.approx((600 / 150) ** power)


def test_a_fixed_c1_keeps_the_penalty_of_the_estimator(moons: Data) -> None:
    search = FRTSVMSearchCV(fixed=("kernel", "c1"), random_state=0, refit=False).fit(*moons)
    assert set(search.cv_results_["param_penalty"]) == {"coefficients"}
    assert "c1" not in search.best_params_


@pytest.mark.usefixtures("small_stages")
def test_the_finest_stage_moves_on_as_long_as_scores_improve(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also beyond the widths and costs of the coarse stage."""
    monkeypatch.setattr("frtsvm_core.model_selection.auto.COARSE_GAMMAS", (-5.0, -4.0))
    monkeypatch.setattr("frtsvm_core.model_selection.auto.COARSE_C1", (8.0,))
    x, y = make_moons(600, noise=0.2, random_state=0)
    base = FRTSVMClassifier(membership="none")
    search = FRTSVMSearchCV(base, fixed=("kernel", "membership"), random_state=0, refit=False)
    table = search.fit(x, y).cv_results_
    stages = sorted(set(table["stage"][table["n_rows"] == 150]))
    assert 3 <= len(stages) <= 1 + MAX_MOVES
    narrowest = [table["param_gamma"][table["stage"] == stage].max() for stage in stages]
    assert max(narrowest) > table["param_gamma"][table["stage"] == 0].max()
    scores = [table["mean_test_score"][table["stage"] == stage].max() for stage in stages]
    assert scores[-1] > scores[0] + 0.05


@pytest.mark.usefixtures("small_stages")
@pytest.mark.parametrize(("noise", "sizes"), [(0.01, [60, 90]), (0.3, [60, 90, 150])])
def test_the_finest_stage_is_skipped_if_almost_every_row_is_correct(
    noise: float, sizes: list[int]
) -> None:
    x, y = make_moons(600, noise=noise, random_state=0)
    search = FRTSVMSearchCV(random_state=0).fit(x, y)
    assert sorted(set(search.cv_results_["n_rows"])) == sizes
    assert (search.best_score_ >= GOOD_ENOUGH) == (len(sizes) == 2)
    assert not search.stopped_  # it ended by itself
    assert (search.refit_params_["rank"] == 30) == (len(sizes) == 2)


@pytest.mark.usefixtures("small_stages")
def test_both_kernels_are_in_the_fine_stage() -> None:
    x, y = make_moons(600, noise=0.2, random_state=0)
    table = FRTSVMSearchCV(random_state=0, refit=False).fit(x, y).cv_results_
    assert set(table["param_kernel"][table["stage"] == 1]) == {"linear", "rbf"}


@pytest.mark.parametrize("n_rows", [300, 1400])
def test_the_refit_uses_a_higher_rank_than_the_search(n_rows: int) -> None:
    """The rank of the search is too low for a kernel as narrow as this one."""
    x, y = make_moons(n_rows, noise=0.2, random_state=0)
    base = FRTSVMClassifier("rbf", gamma=200.0, membership="none")
    fixed = ("kernel", "gamma", "membership", "c1")
    search = FRTSVMSearchCV(base, fixed=fixed, random_state=0).fit(x, y)
    assert search.best_params_["rank"] <= 200
    assert search.best_estimator_.rank_ > 200


@pytest.mark.usefixtures("small_stages")
def test_rare_classes_stay_in_the_samples() -> None:
    x, y = make_moons(600, noise=0.2, random_state=0)
    y = y.copy()
    y[:8] = 2
    x[:8] += 5.0
    search = FRTSVMSearchCV(random_state=0, refit=False).fit(x, y)
    assert search.n_splits_ == 5
    assert search.best_score_ > 0.9


def test_fewer_folds_where_a_class_has_fewer_rows(moons: Data) -> None:
    x, y = moons
    y = y.copy()
    y[:3] = 2
    assert FRTSVMSearchCV(random_state=0, refit=False).fit(x, y).n_splits_ == 3


def test_several_classes_and_their_weights() -> None:
    x, y = load_iris(return_X_y=True)
    estimator = FRTSVMClassifier(multi_class="ovr", class_weight="balanced")
    search = FRTSVMSearchCV(estimator, random_state=0, scoring="balanced_accuracy").fit(x, y)
    assert search.best_score_ > 0.95
    assert search.best_estimator_.multi_class == "ovr"
    assert search.best_estimator_.class_weight == "balanced"


def test_a_precomputed_kernel_is_kept(moons: Data) -> None:
    x, y = moons
    search = FRTSVMSearchCV(FRTSVMClassifier("precomputed"), random_state=0)
    search.fit(rbf_kernel(x, gamma=2.0), y)
    assert set(search.cv_results_["param_kernel"]) == {"precomputed"}
    assert search.best_score_ > 0.9


def test_splitters_and_groups_are_used(moons: Data) -> None:
    x, y = moons
    search = FRTSVMSearchCV(cv=GroupKFold(3), random_state=0, refit=False)
    assert search.fit(x, y, groups=np.arange(120) % 3).n_splits_ == 3


@pytest.mark.usefixtures("small_stages")
def test_folds_given_as_row_numbers_are_used_on_all_rows(moons: Data) -> None:
    x, y = moons
    folds = KFold(2, shuffle=True, random_state=0).split(x)  # can be read only once
    search = FRTSVMSearchCV(cv=folds, random_state=0, refit=False).fit(x, y)
    assert set(search.cv_results_["n_rows"]) == {120}


def test_other_estimators_are_rejected(moons: Data) -> None:
    with pytest.raises(ValueError, match="FRTSVMClassifier only"):
        FRTSVMSearchCV(TSVMClassifier()).fit(*moons)


def test_if_no_candidate_can_be_fitted_the_search_fails(moons: Data) -> None:
    estimator = FRTSVMClassifier("sigmoid", coef0=-5.0)
    with pytest.raises(ValueError, match=r"No candidate could be fitted.*semi-definite"):
        FRTSVMSearchCV(estimator, random_state=0).fit(*moons)


# --- time ----------------------------------------------------------------------------------------


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that advances by 0.1 seconds at each reading."""

    def ticks() -> Iterator[float]:
        now = 0.0
        while True:
            now += 0.1
            yield now

    clock = ticks()
    monkeypatch.setattr(
        "frtsvm_core.model_selection.progress.time.perf_counter", lambda: next(clock)
    )


@pytest.mark.usefixtures("ticking")
def test_it_stops_at_the_time_budget_and_keeps_the_best(moons: Data) -> None:
    reports: list[SearchProgress] = []
    search = FRTSVMSearchCV(random_state=0, time_budget=20.0)
    search.fit(*moons, callback=reports.append)
    assert search.stopped_
    assert reports[-1].phase == "refit"
    # Part of the budget is left for the refit, and all evaluations are kept.
    assert reports[-1].seconds < 0.8 * 20.0
    assert reports[-1].tried == len(search.cv_results_["params"]) > 0
    assert search.predict(moons[0]).shape == (120,)
    left = [progress.seconds_left for progress in reports if progress.seconds_left is not None]
    assert all(0.0 <= seconds <= 20.0 for seconds in left)


@pytest.mark.usefixtures("ticking")
def test_at_least_one_candidate_is_tried_however_short_the_time(moons: Data) -> None:
    search = FRTSVMSearchCV(random_state=0, time_budget=0.001).fit(*moons)
    assert search.stopped_
    assert len(search.cv_results_["params"]) >= 1


def test_a_stop_keeps_the_best_so_far(moons: Data) -> None:
    def stop(progress: SearchProgress) -> None:
        if progress.tried >= 30:
            raise StopSearch

    full = FRTSVMSearchCV(random_state=0)
    search = clone(full).fit(*moons, callback=stop)
    assert search.stopped_
    assert 30 <= len(search.cv_results_["params"]) < 360
    assert search.best_score_ > 0.8


@pytest.mark.parametrize(
    "given",
    [
        {"kernel": "linear"},
        {"kernel": "rbf", "gamma": 2.0},
        {"c1": 0.5, "c3": 2.0},
        {"membership": "neighbors", "mu": 0.2},
        {"rank": 15},
    ],
)
def test_fixed_parameters_are_not_changed(moons: Data, given: dict[str, Any]) -> None:
    base = FRTSVMClassifier(**given)
    search = FRTSVMSearchCV(base, fixed=tuple(given), random_state=0).fit(*moons)
    for params in search.cv_results_["params"]:
        assert {name: params.get(name, given[name]) for name in given} == given
    fitted = search.best_estimator_.get_params()
    assert {name: fitted[name] for name in given} == given
    assert len(search.cv_results_["params"]) > 20  # everything else is still searched


@pytest.mark.usefixtures("small_stages")
def test_with_all_parameters_fixed_there_is_one_candidate(moons: Data) -> None:
    x, y = moons
    folds = list(KFold(2, shuffle=True, random_state=0).split(x))
    fixed = ("kernel", "gamma", "c1", "c3", "membership", "mu", "rank")
    search = FRTSVMSearchCV(cv=folds, fixed=fixed, random_state=0).fit(x, y)
    assert len(search.cv_results_["params"]) == 1


@pytest.mark.usefixtures("small_stages")
def test_units_and_trial_fits_use_preprocessed_rows() -> None:
    x, y = make_moons(400, noise=0.2, random_state=0)
    stretched = x * np.array([1.0, 1e4])
    found = FRTSVMSearchCV(random_state=0, preprocessing=StandardScaler()).fit(stretched, y)
    assert found.score(stretched, y) > 0.93
    assert found.refit_params_["kernel"] == "rbf"
