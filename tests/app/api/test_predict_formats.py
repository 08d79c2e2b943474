"""POST /predict with bodies and responses other than JSON."""

from __future__ import annotations

import csv
import io
from typing import Any

import httpx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.app.data import training, two_blobs

ROWS = np.array(two_blobs(30, seed=5)[0])
ARROW = "application/vnd.apache.arrow.stream"
PARQUET = "application/vnd.apache.parquet"
NPY = "application/x-npy"
OCTETS = "application/octet-stream"


@pytest.fixture(scope="module", autouse=True)
def models(server: Any) -> None:
    """`formats` has feature names, `unnamed` has none, `words` accepts text and missing cells."""
    with server.client() as client:
        client.post("/train", json=training("formats", feature_names=["a", "b"]))
        client.post("/train", json=training("unnamed"))
        x, y = two_blobs(60, n_features=2)
        y3 = [("low", "mid", "high")[i % 3] for i in range(60)]
        client.post("/train", json={"model": "three", "X": x, "y": y3, "feature_names": ["a", "b"]})
        rows = [{"size": row[0], "colour": "red" if row[1] > 0 else "blue"} for row in x]
        rows[0]["size"] = None
        body = {"model": "words", "X": rows, "y": y, "impute": "median", "one_hot": True}
        assert client.post("/train", json=body).status_code == 201


def npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def arrow(columns: dict[str, Any]) -> bytes:
    table = pa.table(columns)
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=7)
    return sink.getvalue()


def parquet(columns: dict[str, Any]) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def as_csv(columns: dict[str, Any]) -> bytes:
    lines = [",".join(columns)]
    lines += [",".join(map(repr, map(float, row))) for row in zip(*columns.values(), strict=True)]
    return "\n".join(lines).encode()


NAMED = {"b": ROWS[:, 1], "a": ROWS[:, 0]}
BODIES = {
    NPY: npy(ROWS),
    OCTETS: ROWS.astype("<f8").tobytes(),
    ARROW: arrow(NAMED),
    PARQUET: parquet(NAMED),
    "text/csv": as_csv(NAMED),
}


def ask(client: httpx.Client, kind: str, body: bytes, query: str, **headers: str) -> httpx.Response:
    return client.post(f"/predict?{query}", content=body, headers={"content-type": kind, **headers})


@pytest.mark.parametrize("kind", BODIES)
def test_all_body_formats_give_the_same_response(client: httpx.Client, kind: str) -> None:
    expected = client.post("/predict", json={"model": "formats", "X": ROWS.tolist()}).json()
    assert ask(client, kind, BODIES[kind], "model=formats").json() == expected
    query = f"model=formats&version={expected['version']}"
    by_version = ask(client, kind, BODIES[kind], query)
    assert by_version.json() == expected


@pytest.mark.parametrize("kind", [ARROW, PARQUET, "text/csv"])
def test_columns_count_by_position_for_a_model_without_names(
    client: httpx.Client, kind: str
) -> None:
    columns = {"u": ROWS[:, 0], "v": ROWS[:, 1]}
    body = {ARROW: arrow, PARQUET: parquet, "text/csv": as_csv}[kind](columns)
    expected = client.post("/predict", json={"model": "unnamed", "X": ROWS.tolist()}).json()
    assert ask(client, kind, body, "model=unnamed").json() == expected


@pytest.mark.parametrize("make", [arrow, parquet])
def test_text_and_missing_cells(client: httpx.Client, make: Any) -> None:
    cells = {"size": [1.5, None, -2.0], "colour": ["red", "blue", None]}
    rows = [{"size": s, "colour": c} for s, c in zip(cells["size"], cells["colour"], strict=True)]
    expected = client.post("/predict", json={"model": "words", "X": rows}).json()
    assert expected["model"] == "words"
    kind = ARROW if make is arrow else PARQUET
    assert ask(client, kind, make(cells), "model=words").json() == expected
    dictionary = {"size": cells["size"], "colour": pa.array(cells["colour"]).dictionary_encode()}
    assert ask(client, kind, make(dictionary), "model=words").json() == expected


def test_responses_as_arrays(client: httpx.Client) -> None:
    expected = client.post("/predict", json={"model": "formats", "X": ROWS.tolist()}).json()
    answer = ask(client, NPY, BODIES[NPY], "model=formats", accept=NPY)
    assert answer.headers["content-type"] == NPY
    assert answer.headers["x-frtsvm-model"] == "formats"
    assert answer.headers["x-frtsvm-version"] == str(expected["version"])
    assert np.load(io.BytesIO(answer.content)).tolist() == expected["labels"]
    for output in ("scores", "distances"):
        answer = ask(client, NPY, BODIES[NPY], f"model=formats&output={output}", accept=NPY)
        assert np.load(io.BytesIO(answer.content)).tolist() == expected[output]
        answer = ask(client, NPY, BODIES[NPY], f"model=formats&output={output}", accept=OCTETS)
        assert np.frombuffer(answer.content).tolist() == np.ravel(expected[output]).tolist()
    from_json = client.post(
        "/predict?output=scores",
        json={"model": "formats", "X": ROWS.tolist()},
        headers={"accept": OCTETS},
    )
    assert np.frombuffer(from_json.content).tolist() == expected["scores"]


def test_outputs_select_columns_and_arrays(client: httpx.Client) -> None:
    body = {"model": "formats", "X": ROWS.tolist()}
    expected = client.post("/predict", json=body).json()
    some = {**body, "outputs": ["scores", "labels"]}
    text = client.post("/predict", json=some, headers={"accept": "text/csv"}).text
    header, *lines = csv.reader(io.StringIO(text))
    assert header == ["label", "score"]
    assert [float(line[1]) for line in lines] == expected["scores"]
    only = client.post(
        "/predict", json={**body, "outputs": ["distances"]}, headers={"accept": OCTETS}
    )
    assert np.frombuffer(only.content).tolist() == np.ravel(expected["distances"]).tolist()
    nothing = {"model": "three", "X": ROWS.tolist(), "outputs": ["distances"]}
    assert client.post("/predict", json=nothing).json()["distances"] is None
    for kind in ("text/csv", ARROW, OCTETS):
        assert client.post("/predict", json=nothing, headers={"accept": kind}).status_code == 422


@pytest.mark.parametrize("model", ["formats", "three"])
def test_responses_as_tables(client: httpx.Client, model: str) -> None:
    body = {"model": model, "X": ROWS.tolist()}
    expected = client.post("/predict", json=body).json()
    stream = client.post("/predict", json=body, headers={"accept": ARROW})
    table = pa.ipc.open_stream(stream.content).read_all()
    text = client.post("/predict", json=body, headers={"accept": "text/csv"})
    lines = list(csv.reader(io.StringIO(text.text)))
    version = str(expected["version"]).encode()
    assert table.schema.metadata == {b"model": model.encode(), b"version": version}
    assert table.column_names == lines[0]
    assert table.column("label").to_pylist() == expected["labels"]
    assert [line[0] for line in lines[1:]] == expected["labels"]
    numbers = np.array([line[1:] for line in lines[1:]], dtype=float)
    np.testing.assert_array_equal(
        numbers, np.column_stack([table.column(j) for j in range(1, table.num_columns)])
    )
    np.testing.assert_array_equal(
        numbers[:, : np.size(expected["scores"][0])],
        np.array(expected["scores"]).reshape(len(ROWS), -1),
    )
    wanted = {"formats": ["score", "distance_no", "distance_yes"],
              "three": ["score_high", "score_low", "score_mid"]}[model]  # fmt: skip
    assert table.column_names == ["label", *wanted]


@pytest.mark.parametrize(
    ("kind", "body", "query", "accept", "status"),
    [
        (NPY, b"", "model=formats", "*/*", 400),
        (NPY, BODIES[NPY], "model=formats&version=x", "*/*", 422),
        (NPY, BODIES[NPY], "model=formats&version=1&alias=a", "*/*", 422),
        (NPY, BODIES[NPY], "model=formats&version=99", "*/*", 404),
        (NPY, BODIES[NPY], "model=nobody", "*/*", 404),
        (NPY, BODIES[NPY], "model=../etc", "*/*", 422),
        (NPY, BODIES[NPY], "model=formats", "image/png", 406),
        (NPY, BODIES[NPY], "model=formats&output=labels", OCTETS, 422),
        (NPY, BODIES[NPY], "model=formats&output=scores", "application/json", 422),
        (NPY, BODIES[NPY], "model=formats&output=nothing", NPY, 422),
        (NPY, BODIES[NPY], "model=three&output=distances", NPY, 422),
        (NPY, BODIES[NPY], "&".join(["a=1"] * 200), "*/*", 422),
        (NPY, npy(ROWS[:, :1]), "model=formats", "*/*", 422),
        (OCTETS, b"1234567", "model=formats", "*/*", 400),
        (ARROW, b"ARROW1", "model=formats", "*/*", 400),
        (ARROW, BODIES[ARROW][:-40], "model=formats", "*/*", 400),
        (ARROW, arrow({"a": [1.0]}), "model=formats", "*/*", 422),
        (ARROW, arrow({"a": [[1.0]], "b": [[2.0]]}), "model=formats", "*/*", 422),
        (ARROW, arrow({"a": pa.array([], "f8"), "b": pa.array([], "f8")}), "model=formats", "*/*", 422),
        (PARQUET, b"PAR1", "model=formats", "*/*", 400),
        ("application/pdf", b"%PDF", "model=formats", "*/*", 415),
        ("application/json", b'{"X":[[1,2]]}', "model=formats", "*/*", 422),
    ],
)  # fmt: skip
def test_refused_requests(
    client: httpx.Client, kind: str, body: bytes, query: str, accept: str, status: int
) -> None:
    answer = ask(client, kind, body, query, accept=accept)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("kind", [NPY, OCTETS, ARROW, PARQUET])
def test_errors_name_the_place_of_numbers_that_are_not_finite(
    client: httpx.Client, kind: str, bad: float
) -> None:
    rows = ROWS.copy()
    rows[3, 1] = bad
    columns = {"a": rows[:, 0], "b": rows[:, 1]}
    body = {
        NPY: npy(rows),
        OCTETS: rows.tobytes(),
        ARROW: arrow(columns),
        PARQUET: parquet(columns),
    }
    answer = ask(client, kind, body[kind], "model=formats")
    assert answer.status_code == 422
    flaw = answer.json()["errors"][0]
    assert flaw["row"] == 3
    assert flaw["column"] == ("b" if kind in (ARROW, PARQUET) else 1)
