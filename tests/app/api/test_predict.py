"""POST /predict."""

from __future__ import annotations

from typing import Any

import httpx
import numpy as np
import pytest

from frtsvm_core import FRTSVMClassifier
from tests.app.data import training, two_blobs


@pytest.fixture(scope="module")
def trained(server: Any) -> dict[str, Any]:
    with server.client() as client:
        info: dict[str, Any] = client.post(
            "/train", json=training("predict", feature_names=["a", "b"])
        ).json()
        return info


def test_answer_equals_the_estimator(client: httpx.Client, trained: dict[str, Any]) -> None:
    rows, labels = two_blobs()
    x = np.array(rows)
    low, high = x.min(axis=0), x.max(axis=0)
    scaled = (x - low) / (high - low)
    model = FRTSVMClassifier(random_state=0).fit(scaled, labels)
    answer = client.post("/predict", json={"model": "predict", "X": rows}).json()
    assert answer["labels"] == model.predict(scaled).tolist()
    np.testing.assert_allclose(answer["scores"], model.decision_function(scaled), atol=1e-9)
    np.testing.assert_allclose(answer["distances"], model.distances(scaled), atol=1e-9)
    assert answer["version"] == trained["version"]
    assert answer["model"] == "predict"


def test_objects_are_ordered_by_name(client: httpx.Client, trained: dict[str, Any]) -> None:
    as_list = client.post("/predict", json={"model": "predict", "X": [[1.5, -0.5]]}).json()
    as_object = client.post(
        "/predict", json={"model": "predict", "X": [{"b": -0.5, "a": 1.5}]}
    ).json()
    assert as_list == as_object


@pytest.mark.parametrize(
    ("rows", "column"),
    [([{"a": 1}], "b"), ([{"a": 1, "b": 2, "c": 3}], "c"), ([[1, 2, 3]], None), ([[1]], None)],
)
def test_wrong_features(
    client: httpx.Client, trained: dict[str, Any], rows: Any, column: str | None
) -> None:
    answer = client.post("/predict", json={"model": "predict", "X": rows})
    assert answer.status_code == 422
    problem = answer.json()
    assert problem["type"] == "urn:frtsvm:problem:feature-mismatch"
    assert problem["errors"][0].get("column") == column


@pytest.mark.parametrize("n_rows", [1, 600, 6000])  # each path that writes a response
def test_outputs_select_parts_of_the_response(
    client: httpx.Client, trained: dict[str, Any], n_rows: int
) -> None:
    rows = np.random.default_rng(0).normal(size=(n_rows, 2)).tolist()
    ask = {"model": "predict", "X": rows}
    whole = client.post("/predict", json=ask).json()
    assert list(whole) == ["model", "version", "labels", "scores", "distances", "probabilities"]
    for outputs in (["labels"], ["probabilities", "scores"], ["distances", "distances"]):
        part = client.post("/predict", json={**ask, "outputs": outputs}).json()
        assert part == {name: whole[name] for name in ("model", "version", *outputs)}


@pytest.mark.parametrize("outputs", [[], ["label"], "labels", ["labels"] * 5, [1]])
def test_invalid_outputs(client: httpx.Client, trained: dict[str, Any], outputs: object) -> None:
    ask = {"model": "predict", "X": [[0, 0]], "outputs": outputs}
    answer = client.post("/predict", json=ask)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"].startswith("outputs")


def test_default_version_is_production_or_the_newest(client: httpx.Client) -> None:
    for seed in range(3):
        client.post("/train", json=training("chosen", seed=seed))
    ask = {"model": "chosen", "X": [[0.0, 0.0]]}
    assert client.post("/predict", json=ask).json()["version"] == 3
    client.put("/models/chosen/aliases/production", json={"version": 1})
    assert client.post("/predict", json=ask).json()["version"] == 1
    assert client.post("/predict", json={**ask, "version": 2}).json()["version"] == 2
    client.put("/models/chosen/aliases/canary", json={"version": 3})
    assert client.post("/predict", json={**ask, "alias": "canary"}).json()["version"] == 3
    assert client.post("/predict", json={**ask, "alias": "nope"}).status_code == 404
    both = client.post("/predict", json={**ask, "alias": "canary", "version": 1})
    assert both.status_code == 422
    client.delete("/models/chosen/aliases/production")
    assert client.post("/predict", json=ask).json()["version"] == 3


def test_rows_that_would_overflow_are_refused(
    client: httpx.Client, trained: dict[str, Any]
) -> None:
    rows = [[0, 0], [1e300, -1e300]]
    answer = client.post("/predict", json={"model": "predict", "X": rows})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["row"] == 1


def test_many_rows_are_predicted_in_a_thread(client: httpx.Client, trained: dict[str, Any]) -> None:
    rows = np.random.default_rng(0).normal(size=(5000, 2)).tolist()
    whole = client.post("/predict", json={"model": "predict", "X": rows}).json()
    first = client.post("/predict", json={"model": "predict", "X": rows[:1]}).json()
    assert len(whole.get("labels", whole)) == 5000, whole
    assert whole["labels"][0] == first["labels"][0]
    assert whole["scores"][0] == pytest.approx(first["scores"][0], abs=1e-12)


def test_a_model_of_equal_rows_predicts_the_larger_class(client: httpx.Client) -> None:
    """Its planes have no direction, but the distances are finite."""
    rows = [[0.5, 0.5]] * 10
    labels = ["few"] * 3 + ["many"] * 7
    trained = client.post("/train", json={"model": "equal", "X": rows, "y": labels})
    assert trained.status_code == 201
    answer = client.post("/predict", json={"model": "equal", "X": [[0.5, 0.5]]})
    assert answer.status_code == 200
    assert answer.json()["labels"] == ["many"]
