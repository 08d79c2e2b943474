"""Predictions with artifacts of every format."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from app.errors import ArtifactDamaged, InvalidRequest
from app.pipeline.data import TrainingData
from app.pipeline.predict import Predictor
from app.pipeline.train import train
from app.schemas.table import Table
from app.schemas.training import TrainingOptions
from tests.app.data import two_blobs


def trained(**options: Any) -> dict[str, Any]:
    rows, labels = two_blobs(40)
    data = TrainingData.build(Table(np.array(rows)), labels, None)
    return train(data, TrainingOptions.model_validate(options), lambda _: None).predictor


def test_artifacts_of_format_1_can_be_read() -> None:
    state = trained()
    rows = Table(np.array(two_blobs(40)[0]))
    now = Predictor(state).predict(rows)
    old = {name: value for name, value in state.items() if name != "calibration"} | {"format": 1}
    before = Predictor(old).predict(rows)
    assert before.labels == now.labels
    np.testing.assert_array_equal(before.scores, now.scores)
    assert before.probabilities is None


def test_unknown_formats_are_refused() -> None:
    with pytest.raises(ArtifactDamaged, match="unknown format 3"):
        Predictor(trained() | {"format": 3})


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_probabilities_increase_with_the_scores(method: str) -> None:
    search = {"grid": {"c3": [1.0, 2.0]}, "probability": method}
    predictor = Predictor(trained(search=search))
    found = predictor.predict(Table(np.array([[3.0, 3.0], [0.0, 0.0], [-3.0, -3.0]])))
    assert found.probabilities is not None
    assert (np.diff(found.probabilities[:, 1]) <= 0).all()
    assert found.probabilities[0, 1] > 0.8 > 0.2 > found.probabilities[2, 1]


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_large_table_is_predicted_like_its_parts(kernel: str) -> None:
    predictor = Predictor(trained(params={"kernel": kernel}))
    rows = np.random.default_rng(0).normal(size=(50_001, 2))
    whole = predictor.predict(Table(rows))
    parts = [predictor.predict(Table(part)) for part in np.array_split(rows, 7)]
    assert whole.labels == [label for part in parts for label in part.labels]
    for name in ("scores", "distances"):
        expected = np.concatenate([getattr(part, name) for part in parts])
        np.testing.assert_allclose(getattr(whole, name), expected, rtol=1e-12, atol=1e-12)


def test_a_missing_cell_in_a_late_block_is_found() -> None:
    rows = np.zeros((50_000, 2))
    rows[40_000, 1] = np.nan
    with pytest.raises(InvalidRequest) as refused:
        Predictor(trained()).predict(Table(rows))
    assert refused.value.flaws[0].row == 40_000
