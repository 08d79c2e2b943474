"""Every error response under /v2 has the body {"error": "..."}."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from app.schemas.keys import Scope, hash_key
from tests.app.api.v2.models import PROBE
from tests.app.data import training
from tests.app.server import Server

INFER = "/v2/models/words/infer"


def error_of(answer: httpx.Response, status: int) -> str:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-request-id"]
    body = answer.json()
    assert body.keys() == {"error"}
    assert isinstance(body["error"], str)
    assert body["error"]
    assert len(answer.content) == int(answer.headers["content-length"]) < 2048
    return str(body["error"])


def tensor(**changes: Any) -> dict[str, Any]:
    data = PROBE.reshape(-1).tolist()
    return {"name": "X", "shape": [4, 2], "datatype": "FP64", "data": data, **changes}


REFUSED: list[tuple[str, str, list[dict[str, Any]], int, str]] = [
    ("unknown model", "none", [tensor()], 404, "There is no model 'none'."),
    ("unknown version", "words/versions/99", [tensor()], 404, "no version 99"),
    (
        "version 0",
        "words/versions/0",
        [tensor()],
        422,
        "The version must be an integer of at least 1.",
    ),
    (
        "version beyond",
        "words/versions/9223372036854775808",
        [tensor()],
        422,
        "The version must be",
    ),
    (
        "version in words",
        "words/versions/newest",
        [tensor()],
        422,
        "The version must be an integer",
    ),
    ("bad name", "a%20b", [tensor()], 422, "The model name must match"),
    ("unknown input", "words", [tensor(name="Y")], 422, "The input 'Y' is unknown."),
    ("two inputs for one", "words", [tensor(), tensor(name="Y")], 422, "'Y' is unknown."),
    ("duplicate input", "words", [tensor(), tensor()], 422, "inputs.X: The request has two inputs"),
    ("unknown feature", "named", [tensor(name="c", shape=[8])], 422, "The feature 'a' is missing."),
    ("wrong width", "words", [tensor(shape=[2, 4])], 422, "have 4 features, but the model was"),
    ("one dimension", "words", [tensor(shape=[8])], 422, "must be [rows, 2]; got [8]."),
    ("three dimensions", "words", [tensor(shape=[2, 2, 2])], 422, "must be [rows, 2]; got [2"),
    ("too many cells", "words", [tensor(shape=[2**62, 2**62])], 422, "elements, but `data` has 8."),
    (
        "infinity",
        "words",
        [tensor(data=[1e308 * 10] + [0] * 7)],
        422,
        "row 0 (counted from 0): The value is not a finite",
    ),
    ("far away", "words", [tensor(data=[1e300] + [0] * 7)], 422, "too far"),
    ("no inputs", "words", [], 422, "inputs"),
    (
        "columns of two lengths",
        "named",
        [tensor(name="a", shape=[8]), tensor(name="b", shape=[4], data=[1, 2, 3, 4])],
        422,
        "inputs.b: The shape must be [8], like that of the first input; got [4].",
    ),
    (
        "a wide column",
        "named",
        [tensor(name="a", shape=[4, 2]), tensor(name="b", shape=[4], data=[1, 2, 3, 4])],
        422,
        "inputs.a: The shape must be [rows] or [rows, 1]; got [4, 2].",
    ),
    (
        "text for numbers",
        "named",
        [
            tensor(name="a", shape=[1], datatype="BYTES", data=["1"]),
            tensor(name="b", shape=[1], data=[1]),
        ],
        422,
        "The cell has text instead of a number.",
    ),
    (
        "numbers for text",
        "mixed",
        [tensor(name="age", shape=[1], data=[1]), tensor(name="city", shape=[1], data=[1])],
        422,
        "column city: The column must contain text,",
    ),
    (
        "long text",
        "mixed",
        [
            tensor(name="age", shape=[1], data=[1]),
            tensor(name="city", shape=[1], datatype="BYTES", data=["x" * 257]),
        ],
        422,
        "longer than 256",
    ),
]


@pytest.mark.parametrize(
    ("path", "inputs", "status", "words"),
    [case[1:] for case in REFUSED],
    ids=[case[0] for case in REFUSED],
)
def test_refused(
    http: httpx.Client, path: str, inputs: list[dict[str, Any]], status: int, words: str
) -> None:
    body = json.dumps({"inputs": inputs}).encode()
    assert words in error_of(http.post(f"/v2/models/{path}/infer", content=body), status)


def test_unknown_output(http: httpx.Client) -> None:
    for model, name, available in [
        ("words", "proba", "label, score, distances"),
        ("three", "distances", "label, score"),
    ]:
        body = {"inputs": [tensor()], "outputs": [{"name": "label"}, {"name": name}]}
        words = error_of(http.post(f"/v2/models/{model}/infer", json=body), 422)
        assert words == (f"outputs: The model has no output {name!r}. Its outputs are {available}.")


@pytest.mark.parametrize("special", [np.inf, -np.inf])
def test_infinity_in_binary(http: httpx.Client, special: float) -> None:
    rows = PROBE.copy()
    rows[2, 1] = special
    head = {"name": "X", "shape": [4, 2], "datatype": "FP64"}
    parameters = {"parameters": {"binary_data_size": rows.nbytes}}
    text = json.dumps({"inputs": [{**head, **parameters}]}).encode()
    headers = {"inference-header-content-length": str(len(text))}
    answer = http.post(INFER, content=text + rows.tobytes(), headers=headers)
    place = "inputs.X: row 2 (counted from 0)"
    assert f"{place}: The value is not a finite number." in error_of(answer, 422)


@pytest.mark.parametrize("length", ["-1", "x", "1.5", "", "9" * 30, "٣", "99999"])
def test_wrong_header_length(http: httpx.Client, length: str) -> None:
    raw = [(b"inference-header-content-length", length.encode())]
    body = json.dumps({"inputs": [tensor()]}).encode()
    error_of(http.post(INFER, content=body, headers=raw), 400)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b'{"inputs": [NaN'])
def test_invalid_json(http: httpx.Client, body: bytes) -> None:
    error_of(http.post(INFER, content=body), 400)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v2/nowhere", 404),
        ("GET", "/v2/models/none", 404),
        ("GET", "/v2/models/none/ready", 404),
        ("GET", "/v2/models/none/config", 404),
        ("GET", "/v2/models/none/stats", 404),
        ("GET", "/v2/models/words/versions/9/stats", 404),
        ("GET", "/v2/models/words/versions/x", 422),
        ("GET", INFER, 405),
        ("POST", "/v2", 405),
        ("DELETE", "/v2/models/words", 405),
        ("POST", "/v2/repository/models/none/load", 404),
        ("POST", "/v2/repository/models/none/unload", 404),
    ],
)
def test_wrong_urls(http: httpx.Client, method: str, path: str, status: int) -> None:
    answer = http.request(method, path)
    error_of(answer, status)
    if status == 405:
        assert answer.headers["allow"] in ("POST", "GET")


def test_coding_and_repository_bodies(http: httpx.Client) -> None:
    error_of(http.post(INFER, content=b"{}", headers={"content-encoding": "br"}), 415)
    error_of(http.post("/v2/repository/index", content=b"{"), 400)
    error_of(http.post("/v2/repository/index", json={"ready": 1}), 422)
    error_of(http.post("/v2/repository/models/words/unload", json={"a": 1}), 422)


def test_other_paths_keep_their_problems(http: httpx.Client) -> None:
    for path in ("/v2x", "/v20/models", "/models/none"):
        assert http.get(path).headers["content-type"] == "application/problem+json"


# --- errors from outside the routes
# ----------------------------------------------------------------

KEYS = {scope: f"key-of-{scope.value}-0123456789" for scope in (Scope.PREDICT, Scope.TRAIN)}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with keys and low limits."""
    entries = [f"{s.value}:{s.value}:{hash_key(key.encode())}" for s, key in KEYS.items()]
    home = tmp_path_factory.mktemp("small") / "home"
    limits = {"max_body_bytes": 20_000, "max_bytes_in_flight": 24_000}
    with Server(home, api_keys=",".join(entries), **limits) as server:
        with server.client(headers=bearer(Scope.TRAIN)) as client:
            assert client.post("/train", json=training("words")).status_code == 201
        yield server


def bearer(scope: Scope) -> dict[str, str]:
    return {"authorization": f"Bearer {KEYS[scope]}"}


def test_keys_and_scopes(small: Server) -> None:
    with small.client() as client:
        answer = client.post(INFER, json={"inputs": [tensor()]})
        error_of(answer, 401)
        assert answer.headers["www-authenticate"] == "Bearer"
        error_of(client.get("/v2"), 401)
        assert client.get("/v2/health/live").json() == {"live": True}
        assert client.get("/v2/health/ready").json() == {"ready": True}
        client.headers.update(bearer(Scope.PREDICT))
        assert client.post(INFER, json={"inputs": [tensor()]}).status_code == 200
        assert client.post("/v2/repository/index").status_code == 200
        assert client.get("/v2/models/words/ready").status_code == 200
        client.headers.update(bearer(Scope.TRAIN))
        for action in ("load", "unload"):
            path = f"/v2/repository/models/words/{action}"
            assert "'admin'" in error_of(client.post(path), 403)


def test_bodies_over_the_limit(small: Server) -> None:
    with small.client(headers=bearer(Scope.PREDICT)) as client:
        assert "at most 20000" in error_of(client.post(INFER, content=b" " * 20_001), 413)
        pieces = (b" " * 5000 for _ in range(5))
        assert "at most 20000" in error_of(client.post(INFER, content=pieces), 413)


def test_too_many_bodies_at_once(small: Server) -> None:
    """One client uses most of the memory for bodies, so another one is refused."""
    head = f"POST {INFER} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 19000\r\n"
    head += f"Authorization: {bearer(Scope.PREDICT)['authorization']}\r\n\r\n"
    with (
        small.client(headers=bearer(Scope.PREDICT)) as client,
        socket.create_connection(("127.0.0.1", small.port), timeout=30) as line,
    ):
        line.sendall(head.encode() + b" " * 18_000)
        # chunked, because a small body with a declared length is not counted
        answer = client.post(INFER, content=iter([b" " * 10_000]))
        for _ in range(100):  # until the server has read the body of the other client
            if answer.status_code == 429:
                break
            threading.Event().wait(0.05)
            answer = client.post(INFER, content=iter([b" " * 10_000]))
        error_of(answer, 429)
        assert answer.headers["retry-after"] == "1"


def test_a_damaged_model_is_not_ready_and_the_index_says_so(tmp_path: Path) -> None:
    with Server(tmp_path / "home") as server, server.client() as client:
        for name in ("whole", "broken"):
            seed = len(name)
            assert client.post("/train", json=training(name, seed=seed)).status_code == 201
        sha256 = client.get("/models/broken/versions/1").json()["artifact"]["sha256"]
        file = server.home / "artifacts" / f"{sha256}.joblib"
        file.write_bytes(file.read_bytes()[:-1])
        error_of(client.get("/v2/models/broken/ready"), 500)
        error_of(client.post("/v2/models/broken/infer", json={"inputs": [tensor()]}), 500)
        states = {e["name"]: e["state"] for e in client.post("/v2/repository/index").json()}
        assert states == {"whole": "READY", "broken": "UNAVAILABLE"}
        ready = client.post("/v2/repository/index", content=b'{"ready": true}').json()
        assert [entry["name"] for entry in ready] == ["whole"]
        assert client.get("/v2/models/whole/ready").json() == {"name": "whole", "ready": True}
