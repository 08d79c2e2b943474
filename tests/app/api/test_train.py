"""POST /train."""

from __future__ import annotations

import io
import json
import statistics

import httpx
import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.app.data import slow_training, training, two_blobs


def csv_of(n: int = 40, extra: str = "") -> bytes:
    rows, labels = two_blobs(n)
    lines = ["a,b,label" + (",w" if extra else "")]
    lines += [f"{row[0]},{row[1]},{label}{extra}" for row, label in zip(rows, labels, strict=True)]
    return "\n".join(lines).encode()


def test_json_returns_201_with_the_version(client: httpx.Client) -> None:
    answer = client.post("/train", json=training("train-json", feature_names=["a", "b"]))
    assert answer.status_code == 201, answer.text
    info = answer.json()
    assert answer.headers["location"] == f"/models/train-json/versions/{info['version']}"
    assert client.get(answer.headers["location"]).json() == info
    assert info["classes"] == ["no", "yes"]
    assert info["class_counts"] == [20, 20]
    assert info["feature_names"] == ["a", "b"]
    assert info["certificate"]["converged"]
    assert 0 <= info["certificate"]["relative_gap"] < 1e-2
    assert len(info["certificate"]["planes"]) == 2
    assert info["training_accuracy"] == 1.0
    assert info["status"] == "ready"
    assert info["params"]["random_state"] == 0


def test_versions_count_up(client: httpx.Client) -> None:
    numbers = [
        client.post("/train", json=training("counting", seed=s)).json()["version"] for s in range(3)
    ]
    assert numbers == [1, 2, 3]


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([0, 1] * 10, [0, 1]),
        ([True, False] * 10, [False, True]),
        (["b", "a"] * 10, ["a", "b"]),
        ([10, 9] * 10, [9, 10]),
    ],
)
def test_labels_come_back_as_they_were_sent(
    client: httpx.Client, labels: list[object], classes: list[object]
) -> None:
    rows = [[float(i % 2), float(i)] for i in range(20)]
    info = client.post("/train", json={"model": "labels", "X": rows, "y": labels}).json()
    assert json.dumps(info["classes"]) == json.dumps(classes)  # 1 is not true
    found = client.post("/predict", json={"model": "labels", "X": rows}).json()["labels"]
    assert {type(label) for label in found} == {type(classes[0])}


def test_csv_body(client: httpx.Client) -> None:
    answer = client.post(
        "/train",
        params={"target": "label", "model": "csv", "options": '{"params": {"kernel": "linear"}}'},
        content=csv_of(),
        headers={"content-type": "text/csv"},
    )
    assert answer.status_code == 201, answer.text
    assert answer.json()["feature_names"] == ["a", "b"]
    assert answer.json()["kernel"]["name"] == "linear"


def test_csv_weights_count(client: httpx.Client) -> None:
    answer = client.post(
        "/train",
        params={"target": "label", "weight": "w", "model": "csv-weights"},
        content=csv_of(extra=",2.5"),
        headers={"content-type": "text/csv; charset=utf-8"},
    )
    assert answer.status_code == 201, answer.text
    assert answer.json()["feature_names"] == ["a", "b"]


def test_parquet_body(client: httpx.Client) -> None:
    rows, labels = two_blobs()
    table = pa.table({"a": [r[0] for r in rows], "b": [r[1] for r in rows], "label": labels})
    file = io.BytesIO()
    parquet.write_table(table, file)
    answer = client.post(
        "/train",
        params={"target": "label", "model": "parquet"},
        content=file.getvalue(),
        headers={"content-type": "application/vnd.apache.parquet"},
    )
    assert answer.status_code == 201, answer.text
    # The same rows as CSV give the same model, byte for byte.
    same = client.post(
        "/train",
        params={"target": "label", "model": "parquet-as-csv"},
        content=csv_of(),
        headers={"content-type": "text/csv"},
    )
    assert same.json()["artifact"]["sha256"] == answer.json()["artifact"]["sha256"]


def test_respond_async_returns_202_with_the_job(client: httpx.Client) -> None:
    answer = client.post(
        "/train", json=training("async"), headers={"prefer": "handling=lenient, respond-async"}
    )
    assert answer.status_code == 202
    assert answer.headers["preference-applied"] == "respond-async"
    job = answer.json()
    assert answer.headers["location"] == f"/jobs/{job['id']}"
    assert job["state"] == "queued"
    assert job["estimated_bytes"] > 0


def test_one_hot_and_impute(client: httpx.Client) -> None:
    rows, labels = two_blobs(40)
    mixed = [
        {"size": None if i == 3 else row[0], "colour": "red" if row[1] > 0 else "blue"}
        for i, row in enumerate(rows)
    ]
    body = {"model": "mixed", "X": mixed, "y": labels}
    refused = client.post("/train", json=body)
    assert refused.status_code == 422
    assert {flaw["column"] for flaw in refused.json()["errors"]} == {"size", "colour"}
    info = client.post("/train", json={**body, "one_hot": True, "impute": "median"}).json()
    assert info["n_inputs"] == 3
    assert info["columns"][1] == {
        "name": "colour",
        "kind": "text",
        "categories": ["blue", "red"],
        "typical": max("blue", "red", key=[row["colour"] for row in mixed].count),
        "range": None,
    }
    sizes = [row["size"] for row in mixed if row["size"] is not None]
    assert info["columns"][0]["typical"] == pytest.approx(statistics.median(sizes))
    assert info["columns"][0]["range"] == [min(sizes), max(sizes)]
    row = {"colour": "green", "size": None}
    answer = client.post("/predict", json={"model": "mixed", "X": [row]})
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("validation", [{"folds": 4}, {"holdout": 0.25}])
def test_validation_measures_each_fold(client: httpx.Client, validation: dict[str, float]) -> None:
    info = client.post("/train", json=training("validated", validation=validation)).json()
    scores = info["validation"]
    folds = scores["folds"]
    assert len(folds) == validation.get("folds", 1)
    assert scores["accuracy"] == pytest.approx(sum(f["accuracy"] for f in folds) / len(folds))
    assert sum(map(sum, scores["confusion_matrix"])) == sum(f["n_test"] for f in folds)
    assert all(0 <= scores[name] <= 1 for name in ("accuracy", "balanced_accuracy", "f1"))


def test_sample_weights_change_the_model(client: httpx.Client) -> None:
    rows, labels = two_blobs()
    plain = client.post("/train", json={"model": "weights", "X": rows, "y": labels}).json()
    weights = [1.0 if i % 4 else 9.0 for i in range(len(rows))]
    body = {"model": "weights", "X": rows, "y": labels, "sample_weight": weights}
    weighted = client.post("/train", json=body).json()
    assert plain["artifact"]["sha256"] != weighted["artifact"]["sha256"]


def test_class_weights_are_named_by_label(client: httpx.Client) -> None:
    params = {"class_weight": {"yes": 3.0, "no": 1.0}}
    assert client.post("/train", json=training("cw", params=params)).status_code == 201
    params = {"class_weight": {"maybe": 3.0}}
    answer = client.post("/train", json=training("cw", params=params))
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "params.class_weight"


def test_multi_class_one_vs_rest_has_a_plane_per_class(client: httpx.Client) -> None:
    rows = [[float(i % 3), float(i % 7)] for i in range(60)]
    labels = [i % 3 for i in range(60)]
    body = {"model": "three", "X": rows, "y": labels, "params": {"multi_class": "ovr"}}
    info = client.post("/train", json=body).json()
    assert [p["own_class"] for p in info["certificate"]["planes"]] == [0, 1, 2]
    assert all(p["other_class"] is None for p in info["certificate"]["planes"])
    found = client.post("/predict", json={"model": "three", "X": rows[:2]}).json()
    assert len(found["distances"][0]) == len(found["scores"][0]) == 3
    body["params"] = {"multi_class": "ovo"}
    client.post("/train", json=body)
    found = client.post("/predict", json={"model": "three", "X": rows[:2]}).json()
    assert found["distances"] is None
    assert found["labels"] == labels[:2]


def test_query_with_json_is_refused(client: httpx.Client) -> None:
    answer = client.post("/train?model=other", json=training())
    assert answer.status_code == 422


def test_slow_training_can_be_cancelled_before_it_ends(client: httpx.Client) -> None:
    answer = client.post("/train", json=slow_training(), headers={"prefer": "respond-async"})
    job = answer.json()["id"]
    assert client.delete(f"/jobs/{job}").json()["state"] == "cancelled"
