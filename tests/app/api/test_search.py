"""Training with a parameter search, over HTTP."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import httpx
import numpy as np
import pytest

from app.plots import STYLE_DIGEST
from tests.app.data import training, two_blobs

GRID = {"c1": [0.25, 4.0], "c3": [0.5, 2.0, 8.0], "gamma": [0.5, 2.0]}


def noisy(n: int = 90) -> dict[str, Any]:
    """Three columns, one of them text, with missing cells; two classes that overlap."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=(n, 2)).round(3)
    y = x[:, 0] + 0.7 * rng.normal(size=n) > 0
    words = [["red", "green", None][k] for k in rng.integers(0, 3, n)]
    rows = [[*map(float, row), word] for row, word in zip(x, words, strict=True)]
    rows[3][1] = None
    return {"X": rows, "y": ["hi" if k else "lo" for k in y]}


@pytest.fixture(scope="module")
def searched(server: Any) -> dict[str, Any]:
    """A version with every option: grid, probabilities, validation, weights, encoding."""
    body = noisy() | {
        "model": "searched",
        "params": {"membership": "neighbors"},
        "search": {"grid": GRID, "folds": 3, "probability": "sigmoid", "scoring": "f1_macro"},
        "impute": "median",
        "one_hot": True,
        "validation": {"folds": 3},
        "sample_weight": [1.0, 2.0, 1.5] * 30,
    }
    with server.client() as client:
        answer = client.post("/train", json=body)
    assert answer.status_code == 201, answer.text
    info: dict[str, Any] = answer.json()
    return info


def test_params_auto_searches_and_fits_a_model(client: httpx.Client) -> None:
    rows, labels = two_blobs(60)
    answer = client.post("/train", json={"X": rows, "y": labels, "params": "auto"})
    assert answer.status_code == 201, answer.text
    info = answer.json()
    search = info["search"]
    assert search["plan"] == "auto"
    assert search["n_configurations"] > 100
    assert search["time_budget"] == 30
    assert search["stopped_early"] is None
    assert search["best_score"] > 0.95
    # The configurations were tried on all rows, so the version has exactly the best parameters.
    assert {name: info["params"][name] for name in search["best_params"]} == search["best_params"]
    found = client.post("/predict", json={"X": rows, "version": info["version"]}).json()
    assert found["labels"] == labels
    assert found["probabilities"] is None
    # The scores follow from the distances and the decision.
    (pair,) = info["decision"]["pairs"]
    a, b = pair["weights"]
    near = np.array(found["distances"])
    scores = a * near[:, 0] - b * near[:, 1] + pair["offset"]
    np.testing.assert_allclose(found["scores"], scores, rtol=1e-6, atol=1e-9)
    assert 0.9 < info["decision"]["held_out_accuracy"] <= 1.0


def test_balance_false_lets_the_nearer_plane_decide(client: httpx.Client) -> None:
    rows, labels = two_blobs(60)
    body = {"X": rows, "y": labels, "params": "auto", "search": {"balance": False}}
    info = client.post("/train", json=body).json()
    assert info["decision"] is None
    found = client.post("/predict", json={"X": rows, "version": info["version"]}).json()
    near = np.array(found["distances"])
    np.testing.assert_allclose(found["scores"], near[:, 0] - near[:, 1], rtol=1e-6, atol=1e-9)


def test_an_automatic_search_has_all_plots(client: httpx.Client) -> None:
    rows, labels = two_blobs(60)
    held = {"kernel": "rbf", "membership": "center"}
    body = {"model": "drawn", "X": rows, "y": labels, "params": held, "search": {"plan": "auto"}}
    info = client.post("/train", json=body).json()
    at = f"/models/drawn/versions/{info['version']}/plots"
    assert [client.get(f"{at}/{plot}.svg").status_code for plot in ("c1-c3", "gamma", "mu")] == [
        200
    ] * 3


def test_the_version_describes_its_search(searched: dict[str, Any]) -> None:
    search = searched["search"]
    assert search["grid"] == GRID
    assert search["fixed"] == {"membership": "neighbors"}
    assert (search["folds"], search["scoring"]) == (3, "f1_macro")
    assert search["n_configurations"] == search["n_planned"] == 12
    best = search["best"][0]
    assert best["params"] == search["best_params"]
    assert best["mean"] == search["best_score"] == pytest.approx(np.mean(best["scores"]))
    assert best["std"] == pytest.approx(np.std(best["scores"]))
    assert len(search["best"]) == 10
    assert searched["params"]["membership"] == "neighbors"
    assert searched["params"]["c1"] == search["best_params"]["c1"]
    assert len(searched["validation"]["folds"]) == 3
    assert {"search_seconds", "validation_seconds"} <= searched["timings"].keys()


def test_probabilities_and_their_quality(client: httpx.Client, searched: dict[str, Any]) -> None:
    body = noisy()
    found = client.post("/predict", json={"model": "searched", "X": body["X"]}).json()
    probabilities = np.array(found["probabilities"])
    assert probabilities.shape == (90, 2)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    right = np.array(searched["classes"])[probabilities.argmax(axis=1)] == np.array(body["y"])
    assert right.mean() > 0.7
    about = searched["probability"]
    assert about["method"] == "sigmoid"
    assert 0 < about["brier"] < 0.25  # better than a constant probability of one half
    bins = about["reliability"]
    assert sum(one["weight"] for one in bins) == pytest.approx(135.0)
    assert [one["lower"] for one in bins] == pytest.approx([k / 10 for k in range(10)])
    assert all((one["predicted"] is None) == (one["weight"] == 0) for one in bins)


def test_the_configurations_are_paged(client: httpx.Client, searched: dict[str, Any]) -> None:
    at = f"/models/searched/versions/{searched['version']}/search"
    pages = [client.get(at, params={"limit": 5, "offset": k}).json() for k in (0, 5, 10)]
    rows = [row for page in pages for row in page["items"]]
    assert pages[0]["total"] == len(rows) == 12
    assert [row["rank"] for row in rows] == sorted(row["rank"] for row in rows)
    in_order = client.get(at, params={"sort": "number"}).json()["items"]
    assert [row["number"] for row in in_order] == list(range(12))
    assert {row["fit_seconds"] > 0 for row in in_order} == {True}


@pytest.mark.parametrize("plot", ["c1-c3", "gamma"])
def test_plots_are_images_without_scripts(
    client: httpx.Client, searched: dict[str, Any], plot: str
) -> None:
    at = f"/models/searched/versions/{searched['version']}/plots/{plot}.svg"
    answer = client.get(at)
    assert answer.headers["content-type"].startswith("image/svg+xml")
    policy = answer.headers["content-security-policy"]
    assert policy == f"default-src 'none'; style-src '{STYLE_DIGEST}'; sandbox"
    root = ET.fromstring(answer.content)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert client.get(at).content == answer.content


def test_a_missing_search_is_404_with_the_reason(
    client: httpx.Client, searched: dict[str, Any]
) -> None:
    plain = client.post("/train", json=training("unsearched")).json()["version"]
    for path, reason in [
        (f"/models/searched/versions/{searched['version']}/plots/mu.svg", "did not vary mu"),
        (f"/models/unsearched/versions/{plain}/plots/mu.svg", "without a search"),
        (f"/models/unsearched/versions/{plain}/search", "without a search"),
    ]:
        answer = client.get(path)
        assert answer.status_code == 404
        assert answer.json()["type"] == "urn:frtsvm:problem:search-not-found"
        assert reason in answer.json()["detail"]
    assert client.get(f"/models/unsearched/versions/{plain}/plots/no.svg").status_code == 422


def test_a_csv_body_has_its_search_in_the_query(client: httpx.Client) -> None:
    rows, labels = two_blobs(40)
    lines = ["a,b,y", *(f"{a},{b},{y}" for (a, b), y in zip(rows, labels, strict=True))]
    query = {
        "target": "y",
        "model": "csv",
        "options": '{"params": {"kernel": "linear"}, "search": {"grid": {"c1": [0.5, 2]}}}',
    }
    headers = {"content-type": "text/csv"}
    answer = client.post("/train", content="\n".join(lines), params=query, headers=headers)
    assert answer.status_code == 201, answer.text
    assert answer.json()["kernel"]["name"] == "linear"
    assert answer.json()["search"]["n_configurations"] == 2


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"search": {"grid": {"c1": [*range(1, 101)], "c3": [*range(1, 102)]}}}, "search.grid.c3"),
        ({"search": {"grid": {n: [*range(1, 31)] for n in ("c1", "c2", "c3")}}}, "search.grid"),
        ({"search": {"time_budget": 4000}}, "search.time_budget"),
        ({"search": {"folds": 21}}, "search.folds"),
        ({"search": {"plan": "grid"}}, "search.grid"),
        ({"search": {"scoring": "luck"}}, "search.scoring"),
        ({"search": {"grid": {"c1": [1, 2]}}, "params": {"c1": 3}}, "search.grid.c1"),
        ({"search": {"scoring": "roc_auc"}, "y": [k % 3 for k in range(40)]}, "search.scoring"),
        ({"search": {}, "y": ["a"] + ["b"] * 39}, "search"),
        ({"params": "automatic"}, "params"),
    ],
)
def test_invalid_searches_are_refused(
    client: httpx.Client, change: dict[str, Any], field: str
) -> None:
    answer = client.post("/train", json=training("refused") | change)
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["field"] == field
