"""The search of a training: preprocessing in the folds, early stop, stored results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler

from app.errors import TrainingRejected
from app.pipeline.data import TrainingData
from app.pipeline.measure import splits
from app.pipeline.predict import Predictor
from app.pipeline.search import NothingTried
from app.pipeline.train import Outcome, train
from app.schemas.table import Table
from app.schemas.training import TrainingOptions
from frtsvm_core import FRTSVMClassifier

GRID = {"c1": [0.25, 4.0], "c3": [0.5, 4.0], "gamma": [2.0]}


def rows_with_missing_cells(n: int = 90) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(n, 3)) * np.array([1.0, 50.0, 0.01])
    y = x[:, 0] + 0.5 * rng.normal(size=n) > 0
    x[rng.random(size=x.shape) < 0.1] = np.nan
    x[5] = [
        30.0,
        -900.0,
        0.4,
    ]  # an outlier that determines the scale of its folds
    return x, y.astype(int)


def run(options: dict[str, Any], stop: Any = lambda: False) -> Outcome:
    x, y = rows_with_missing_cells()
    data = TrainingData.build(Table(x), y.tolist(), None)
    chosen = {"impute": "median", **options}
    return train(data, TrainingOptions.model_validate(chosen), lambda _: None, stop=stop)


def test_preprocessing_learns_from_the_training_rows_of_a_fold_only() -> None:
    """The results equal those of GridSearchCV over a pipeline, fitted in the folds."""
    x, y = rows_with_missing_cells()
    ours = run({"search": {"grid": GRID, "folds": 3, "seed": 1}})
    pipeline = Pipeline(
        [
            ("fill", SimpleImputer(strategy="median")),
            ("scale", MinMaxScaler()),
            ("model", FRTSVMClassifier(random_state=0)),
        ]
    )
    theirs = GridSearchCV(
        pipeline,
        {f"model__{name}": values for name, values in GRID.items()},
        cv=StratifiedKFold(3, shuffle=True, random_state=1),
    ).fit(x, y)
    table = ours.evidence["search"]
    np.testing.assert_allclose(table["mean"], theirs.cv_results_["mean_test_score"], atol=1e-12)
    best = {f"model__{name}": value for name, value in ours.info["search"]["best_params"].items()}
    assert best == theirs.best_params_
    assert ours.info["training_accuracy"] == pytest.approx(theirs.score(x, y))


def test_a_validation_repeats_the_search_in_every_fold() -> None:
    info = run({"search": {"grid": GRID, "folds": 2}, "validation": {"holdout": 0.3}}).info
    (fold,) = info["validation"]["folds"]
    assert fold["n_test"] == 27
    assert info["validation"]["accuracy"] < 1.0


def test_a_stop_before_the_first_configuration_raises() -> None:
    with pytest.raises(NothingTried):
        run({"search": {"grid": GRID}}, stop=lambda: True)


def test_a_stop_during_the_search_keeps_the_best_and_skips_the_validation() -> None:
    asked = iter([False] * 8)
    outcome = run(
        {"search": {"grid": GRID | {"c1": [2.0**k for k in range(8)]}}, "validation": {"folds": 3}},
        stop=lambda: next(asked, True),
    )
    search = outcome.info["search"]
    assert search["stopped_early"] == "requested"
    assert 0 < search["n_configurations"] < search["n_planned"] == 16
    assert outcome.info["validation"] is None


def test_a_stop_during_the_validation_keeps_the_model() -> None:
    events: list[str] = []
    x, y = rows_with_missing_cells()
    data = TrainingData.build(Table(x), y.tolist(), None)
    options = {"impute": "median", "search": {"grid": GRID}, "validation": {"folds": 3}}
    outcome = train(
        data,
        TrainingOptions.model_validate(options),
        lambda progress: events.append(progress["phase"]),
        stop=lambda: "validating 2/3" in events,
    )
    assert outcome.info["search"]["n_configurations"] == 4
    assert outcome.info["search"]["stopped_early"] is None  # it was complete
    assert outcome.info["validation"] is None


@pytest.mark.parametrize("search", [{"grid": GRID}, {}])
def test_progress_counts_the_configurations_of_the_model(search: dict[str, Any]) -> None:
    """Configurations of searches inside the validation are not counted."""
    events: list[dict[str, Any]] = []
    x, y = rows_with_missing_cells()
    data = TrainingData.build(Table(x), y.tolist(), None)
    options = {"impute": "median", "search": search, "validation": {"folds": 2}}
    outcome = train(data, TrainingOptions.model_validate(options), events.append)
    found = outcome.info["search"]
    measuring = [event for event in events if event["phase"].startswith("validating")]
    assert {event["search"]["tried"] for event in measuring} == {found["n_configurations"]}
    assert {event["search"]["planned"] for event in measuring} == {found["n_planned"]}
    assert found["n_configurations"] == len(outcome.evidence["search"]["params"])


def test_the_same_seed_gives_the_same_model() -> None:
    one, two = (run({"params": "auto"}) for _ in range(2))
    assert one.info["search"]["best_params"] == two.info["search"]["best_params"]
    np.testing.assert_array_equal(one.evidence["search"]["mean"], two.evidence["search"]["mean"])
    np.testing.assert_array_equal(one.predictor["model"]["coef"], two.predictor["model"]["coef"])


def test_auto_keeps_fixed_parameters() -> None:
    outcome = run({"params": {"kernel": "linear", "c3": 2.0}, "search": {}})
    assert outcome.info["params"]["c3"] == 2.0
    assert outcome.info["search"]["fixed"] == {"c3": 2.0, "kernel": "linear"}
    assert {params["kernel"] for params in outcome.evidence["search"]["params"]} == {"linear"}


@pytest.mark.parametrize(
    ("held", "penalty"),
    [
        ({}, "function"),
        ({"c1": 1.0}, "coefficients"),
        ({"penalty": "coefficients"}, "coefficients"),
    ],
)
def test_the_info_names_the_penalty(held: dict[str, Any], penalty: str) -> None:
    outcome = run({"params": {"kernel": "rbf", **held}, "search": {}})
    assert outcome.info["params"]["penalty"] == penalty
    assert {params["penalty"] for params in outcome.evidence["search"]["params"]} == {penalty}


def test_a_grid_can_compare_penalties() -> None:
    grid = {"penalty": ["coefficients", "function"], "c1": [0.01, 1.0]}
    outcome = run({"search": {"grid": grid}})
    tried = [(params["penalty"], params["c1"]) for params in outcome.evidence["search"]["params"]]
    assert len(set(tried)) == outcome.info["search"]["n_configurations"] == 4
    assert outcome.info["params"]["penalty"] == outcome.info["search"]["best_params"]["penalty"]


def test_a_search_without_any_successful_fit_is_rejected() -> None:
    grid = {"gamma": [50.0, 60.0]}
    with pytest.raises(TrainingRejected, match=r"^The search failed: "):
        run({"params": {"kernel": "sigmoid", "coef0": -300.0}, "search": {"grid": grid}})


def test_auto_learns_distance_weights_and_reports_them() -> None:
    outcome = run({"params": "auto", "search": {"time_budget": 20.0}})
    (pair,) = outcome.info["decision"]["pairs"]
    assert pair["classes"] == [0, 1]
    assert sum(pair["weights"]) == pytest.approx(2.0)
    x, _ = rows_with_missing_cells()
    answer = Predictor(outcome.predictor).predict(Table(x))
    assert answer.distances is not None
    a, b = pair["weights"]
    expected = a * answer.distances[:, 0] - b * answer.distances[:, 1] + pair["offset"]
    np.testing.assert_allclose(answer.scores, expected, rtol=1e-9)
    np.testing.assert_array_equal(answer.codes, expected > 0.0)
    np.testing.assert_array_equal(outcome.evidence["predicted"], answer.codes)


@pytest.mark.parametrize("search", [{"balance": False}, {"scoring": "f1_macro"}, {"grid": GRID}])
def test_without_distance_weights_the_nearer_plane_decides(search: dict[str, Any]) -> None:
    outcome = run({"search": {"time_budget": 20.0, **search}})
    assert outcome.info["decision"] is None
    assert outcome.predictor["model"]["state_version"] == 1


def test_a_validation_uses_the_distance_weights_of_its_folds() -> None:
    """Each fold learns its own weights: a separate search on its rows gives the same labels."""
    options = {"search": {"grid": GRID, "balance": True, "folds": 3}, "validation": {"folds": 2}}
    outcome = run(options)
    x, y = rows_with_missing_cells()
    unseen = outcome.evidence["unseen"]
    chosen = TrainingOptions.model_validate({"impute": "median", **options})
    for train_rows, test_rows in splits(np.array(y), chosen.validation, 0):
        data = TrainingData.build(Table(x[train_rows]), y[train_rows].tolist(), None)
        alone = train(
            data, chosen.model_copy(update={"validation": None}), lambda _: None
        ).predictor
        assert alone["model"]["state_version"] == 2
        answer = Predictor(alone).predict(Table(x[test_rows]))
        np.testing.assert_array_equal(unseen[test_rows], answer.codes)
