"""Inference without a client library, as with curl."""

from __future__ import annotations

import gzip
import json
import zlib
from typing import Any

import httpx
import numpy as np
import pytest

from tests.app.api.v2.models import PROBE
from tests.app.server import Server

INFER = "/v2/models/words/infer"


def tensor(rows: Any = PROBE, **changes: Any) -> dict[str, Any]:
    found = {"name": "X", "shape": list(rows.shape), "datatype": "FP64", "data": rows.tolist()}
    return {**found, **changes}


def test_no_content_type_is_needed(http: httpx.Client) -> None:
    body = json.dumps({"inputs": [tensor()], "id": "é-1"}).encode()
    for headers in ({}, {"content-type": "text/plain"}, {"content-type": "application/json"}):
        answer = http.post(INFER, content=body, headers=headers)
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/json"
        assert "inference-header-content-length" not in answer.headers
        found = answer.json()
        assert (found["id"], found["model_name"], found["model_version"]) == ("é-1", "words", "2")
        assert [output["name"] for output in found["outputs"]] == ["label", "score", "distances"]
        assert [output["shape"] for output in found["outputs"]] == [[4], [4], [4, 2]]
    unnamed = http.post(INFER, content=json.dumps({"inputs": [tensor()]}).encode()).json()
    assert "id" not in unnamed


@pytest.mark.parametrize("n", [1, 100, 5000])
def test_flat_nested_and_binary_are_the_same(http: httpx.Client, n: int) -> None:
    rows = np.random.default_rng(n).normal(size=(n, 2))
    nested = http.post(INFER, json={"inputs": [tensor(rows)]})
    flat = http.post(INFER, json={"inputs": [tensor(rows, data=rows.reshape(-1).tolist())]})
    head = tensor(rows, parameters={"binary_data_size": rows.nbytes})
    del head["data"]
    text = json.dumps({"inputs": [head]}).encode()
    headers = {"inference-header-content-length": str(len(text))}
    binary = http.post(INFER, content=text + rows.tobytes(), headers=headers)
    assert nested.status_code == 200
    assert nested.content == flat.content == binary.content
    plain = http.post("/predict", json={"model": "words", "X": rows.tolist()}).json()
    label, score, distances = nested.json()["outputs"]
    assert label["data"] == plain["labels"]
    np.testing.assert_allclose(score["data"], plain["scores"], atol=1e-12)
    np.testing.assert_allclose(distances["data"], np.ravel(plain["distances"]), atol=1e-12)


def test_binary_and_json_outputs_mix(http: httpx.Client) -> None:
    outputs = [
        {"name": "distances", "parameters": {"binary_data": True}},
        {"name": "score", "parameters": {"binary_data": False}},
        {"name": "label"},
    ]
    body = {"inputs": [tensor()], "outputs": outputs, "parameters": {"binary_data_output": True}}
    answer = http.post(INFER, json=body)
    assert answer.headers["content-type"] == "application/octet-stream"
    length = int(answer.headers["inference-header-content-length"])
    head, data = json.loads(answer.content[:length]), answer.content[length:]
    distances, score, label = head["outputs"]
    sizes = [each.get("parameters", {}).get("binary_data_size") for each in head["outputs"]]
    assert sizes == [64, None, len(data) - 64]
    plain = http.post("/predict", json={"model": "words", "X": PROBE.tolist()}).json()
    assert np.frombuffer(data[:64]).reshape(4, 2).tolist() == plain["distances"]
    assert score["data"] == plain["scores"]
    assert data[64:] == b"".join(
        len(word).to_bytes(4, "little") + word.encode() for word in plain["labels"]
    )
    assert "data" not in distances
    assert label["datatype"] == "BYTES"


@pytest.mark.parametrize(
    ("coding", "unpack"), [("gzip", gzip.decompress), ("deflate", zlib.decompress)]
)
def test_compressed_responses(serving: Server, coding: str, unpack: Any) -> None:
    rows = np.zeros((500, 2))
    body = {"inputs": [tensor(rows)], "parameters": {"binary_data_output": True}}
    with serving.client(headers={"accept-encoding": coding}) as client:
        with client.stream("POST", INFER, json=body) as answer:
            raw = b"".join(answer.iter_raw())
        assert answer.headers["content-encoding"] == coding
        assert answer.headers["vary"] == "Accept-Encoding"
        length = int(answer.headers["inference-header-content-length"])
        unpacked = unpack(raw)
        assert len(json.loads(unpacked[:length])["outputs"]) == 3
        assert len(raw) < len(unpacked) / 10
        short = client.post(INFER, json={"inputs": [tensor(rows[:1])]})
        assert "content-encoding" not in short.headers


def test_features_by_name_or_as_a_matrix(http: httpx.Client) -> None:
    path = "/v2/models/named/infer"
    matrix = http.post(path, json={"inputs": [tensor()]})
    columns = [tensor(PROBE[:, j], name=name) for j, name in enumerate("ab")]
    named = http.post(path, json={"inputs": columns[::-1]})
    assert matrix.status_code == named.status_code == 200
    assert matrix.content == named.content
    described = http.get("/v2/models/named").json()["inputs"]
    assert [each["name"] for each in described] == ["a", "b"]


def test_the_name_in_the_body_is_ignored(http: httpx.Client) -> None:
    body = {"inputs": [tensor()], "model_name": "other", "model_version": "9"}
    assert http.post(INFER, json=body).json()["model_name"] == "words"


def test_production_serves_requests_without_version(http: httpx.Client) -> None:
    def version() -> str:
        answer: str = http.post(INFER, json={"inputs": [tensor()]}).json()["model_version"]
        return answer

    assert version() == "2"
    http.put("/models/words/aliases/production", json={"version": 1})
    try:
        assert version() == "1"
    finally:
        http.delete("/models/words/aliases/production")


def test_routes_are_counted(http: httpx.Client) -> None:
    http.post(INFER, json={"inputs": [tensor()]})
    text = http.get("/metrics").text
    assert (
        'frtsvm_requests_total{method="POST",route="/v2/models/{name}/infer",status="200"}' in text
    )


def test_the_document_describes_the_protocol(http: httpx.Client) -> None:
    document = http.get("/openapi.json").json()
    ours = {path: methods for path, methods in document["paths"].items() if path.startswith("/v2")}
    assert len(ours) == 17
    for methods in ours.values():
        for operation in methods.values():
            assert operation["tags"] == ["inference protocol"]
            for status, answer in operation["responses"].items():
                if status >= "400" and status != "431":  # refused before the path is known
                    schema = answer["content"]["application/json"]["schema"]
                    assert schema == {"$ref": "#/components/schemas/ProtocolError"}, operation
    infer = ours["/v2/models/{name}/versions/{version}/infer"]["post"]
    assert {p["name"] for p in infer["parameters"]} == {
        "name",
        "version",
        "Inference-Header-Content-Length",
    }
    assert infer["security"]
