"""The table of problems, and all errors that a client can cause."""

from __future__ import annotations

import inspect
import json
import socket
from typing import Any

import httpx
import pytest

from app import errors
from app.api.problems import MAX_BYTES, STATUS, problem, problem_of, slug
from tests.app.data import training, two_blobs
from tests.app.server import Server

JSON = {"content-type": "application/json"}


def test_every_public_error_is_in_the_table() -> None:
    public = {
        kind
        for _, kind in inspect.getmembers(errors, inspect.isclass)
        if issubclass(kind, errors.ServiceError) and kind is not errors.ServiceError
    }
    assert public == STATUS.keys()


def test_problem_names_are_distinct() -> None:
    assert len({slug(kind) for kind in STATUS}) == len(STATUS)


def test_a_problem_is_bounded_and_encodable_for_any_input() -> None:
    flaws = [errors.Flaw("x" * 5000, "\ud800" * 500, i, "c" * 5000) for i in range(50)]
    found = problem_of(errors.InvalidRequest("\udfff" * 100_000, flaws=flaws))
    assert len(found.body) <= MAX_BYTES
    assert 1 <= len(json.loads(found.body)["errors"]) <= 10


def test_retry_after_and_challenge_headers() -> None:
    assert problem_of(errors.QueueFull("full")).headers["retry-after"] == "5"
    assert problem_of(errors.NotAuthenticated("who?")).headers["www-authenticate"] == "Bearer"
    assert "retry-after" not in problem(404, "a", "b", "c").headers


def two(**changes: Any) -> dict[str, Any]:
    return {**training("problems", n=8), **changes}


BAD_TRAININGS: list[tuple[str, Any, int, str, dict[str, Any]]] = [
    ("ragged", two(X=[[1, 2], [3]], y=[0, 1]), 422, "invalid-request", {"field": "X", "row": 1}),
    ("null", two(X=[[1, None], [3, 4]], y=[0, 1]), 422, "invalid-request", {"row": 0, "column": 1}),
    ("text", two(X=[[1, "a"], [3, "b"]], y=[0, 1]), 422, "invalid-request", {"column": 1}),
    ("number as text", two(X=[["1"], ["2"]], y=[0, 1]), 422, "invalid-request", {"column": 0}),
    ("boolean", two(X=[[True], [0]], y=[0, 1]), 422, "invalid-request", {"row": 0, "column": 0}),
    ("mixed column", two(X=[[1], ["a"]], y=[0, 1]), 422, "invalid-request", {"row": 1}),
    ("nested", two(X=[[[1]], [[2]]], y=[0, 1]), 422, "invalid-request", {"row": 0}),
    ("no rows", two(X=[], y=[]), 422, "invalid-request", {"field": "X"}),
    ("empty row", two(X=[[]], y=[1]), 422, "invalid-request", {"field": "X", "row": 0}),
    ("rows of two kinds", two(X=[[1], {"a": 1}], y=[0, 1]), 422, "invalid-request", {"row": 1}),
    ("missing key", two(X=[{"a": 1}, {}], y=[0, 1]), 422, "invalid-request", {"column": "a"}),
    ("label count", two(y=["a"]), 422, "invalid-request", {"field": "y"}),
    ("label types", two(y=[1, "1"] * 4), 422, "invalid-request", {"field": "y", "row": 1}),
    ("float label", two(y=[1.5, 2] * 4), 422, "invalid-request", {"field": "y", "row": 0}),
    ("null label", two(y=[None, 2] * 4), 422, "invalid-request", {"field": "y", "row": 0}),
    ("one class", two(y=["a"] * 8), 422, "one-class-only", {"field": "y"}),
    ("one row", two(X=[[1]], y=["a"]), 422, "too-few-rows", {"field": "X"}),
    ("too many folds", two(validation={"folds": 5}), 422, "too-few-rows", {}),
    ("folds and holdout", two(validation={"folds": 2, "holdout": 0.5}), 422, "invalid-request", {}),
    ("unknown field", two(gamma=1), 422, "invalid-request", {"field": "gamma"}),
    ("unknown parameter", two(params={"C": 1}), 422, "invalid-request", {"field": "params.C"}),
    ("parameter range", two(params={"c1": -1}), 422, "invalid-request", {"field": "params.c1"}),
    ("parameter type", two(params={"c1": "1"}), 422, "invalid-request", {"field": "params.c1"}),
    ("kernel", two(params={"kernel": "precomputed"}), 422, "invalid-request", {}),
    ("name", two(model="../x"), 422, "invalid-request", {"field": "model"}),
    ("name with newline", two(model="x\n"), 422, "invalid-request", {"field": "model"}),
    ("weights", two(sample_weight=[1.0]), 422, "invalid-request", {"field": "sample_weight"}),
    ("negative weight", two(sample_weight=[-1] * 8), 422, "invalid-request", {"row": 0}),
    ("zero weights", two(sample_weight=[0] * 8), 422, "invalid-request", {}),
    ("names twice", two(feature_names=["a", "a"]), 422, "invalid-request", {}),
    ("names count", two(feature_names=["a"]), 422, "invalid-request", {"field": "feature_names"}),
    ("huge integer", two(X=[[10**400], [1]], y=[0, 1]), 422, "invalid-request", {"row": 0}),
    ("not an object", [1, 2], 422, "invalid-request", {}),
    (
        "too many classes",
        {"X": [[i] for i in range(202)], "y": list(range(202))},
        413,
        "data-too-large",
        {},
    ),
    ("too many features", {"X": [[0] * 10_001] * 2, "y": [0, 1]}, 413, "data-too-large", {}),
]


@pytest.mark.parametrize(
    ("body", "status", "kind", "flaw"),
    [case[1:] for case in BAD_TRAININGS],
    ids=[case[0] for case in BAD_TRAININGS],
)
def test_bad_training(
    client: httpx.Client, body: Any, status: int, kind: str, flaw: dict[str, Any]
) -> None:
    answer = client.post("/train", json=body)
    assert answer.status_code == status, answer.text
    found = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert found["type"] == f"urn:frtsvm:problem:{kind}"
    assert found["status"] == status
    assert found["instance"].endswith(answer.headers["x-request-id"])
    if flaw:
        assert flaw.items() <= found["errors"][0].items()


RAW_BODIES: list[tuple[str, bytes, int]] = [
    ("NaN", b'{"X": [[NaN], [1]], "y": [0, 1]}', 422),
    ("Infinity", b'{"X": [[Infinity], [1]], "y": [0, 1]}', 422),
    ("-Infinity", b'{"X": [[-Infinity], [1]], "y": [0, 1]}', 422),
    ("1e400", b'{"X": [[1e400], [1]], "y": [0, 1]}', 422),
    ("NaN parameter", b'{"X": [[0], [1]], "y": [0, 1], "params": {"c1": NaN}}', 422),
    ("1e400 parameter", b'{"X": [[0], [1]], "y": [0, 1], "params": {"c1": 1e400}}', 422),
    ("5000 digits", b'{"X": [[' + b"9" * 5000 + b'], [1]], "y": [0, 1]}', 400),
    ("lone surrogate value", b'{"X": [[0], [1]], "y": ["\\ud800", "b"]}', 400),
    ("lone surrogate key", b'{"\\udfff": 1}', 400),
    ("deep", b"[" * 100_000, 400),
    ("bad UTF-8", b'{"X": [["\xff\xfe"]]}', 400),
    ("UTF-16", '{"X": [[1]]}'.encode("utf-16"), 400),
    ("BOM", b"\xef\xbb\xbf{}", 400),
    ("empty", b"", 400),
    ("half", b'{"X": [[1', 400),
    ("trailing", b"{} {}", 400),
    ("comment", b"{/* */}", 400),
    ("python", b"{'X': None}", 400),
    ("null", b"null", 422),
    ("string", b'"X"', 422),
    ("many unknown keys", b"{" + b",".join(b'"k%d":1' % i for i in range(80_000)) + b"}", 422),
    ("many wrong cells", b'{"X": [' + b",".join([b'["a",true]'] * 80_000) + b'], "y": [1]}', 422),
    ("many wrong labels", b'{"X": [[1]], "y": [' + b",".join([b"null"] * 200_000) + b"]}", 422),
]


@pytest.mark.parametrize("path", ["/train", "/predict"])
@pytest.mark.parametrize(
    ("body", "status"), [case[1:] for case in RAW_BODIES], ids=[case[0] for case in RAW_BODIES]
)
def test_hostile_body(client: httpx.Client, path: str, body: bytes, status: int) -> None:
    answer = client.post(path, content=body, headers=JSON)
    assert answer.status_code == status, answer.text[:500]
    assert answer.headers["content-type"] == "application/problem+json"
    assert len(answer.content) <= MAX_BYTES
    assert answer.elapsed.total_seconds() < 20  # also on a very busy machine


def test_duplicate_keys_last_one_counts(client: httpx.Client) -> None:
    rows, labels = two_blobs(8)
    head = json.dumps({"model": "first"})[:-1]
    body = f'{head}, "X": {rows}, "y": {json.dumps(labels)}, "model": "last"}}'
    assert client.post("/train", content=body, headers=JSON).json()["model"] == "last"


PICKLES = [
    "application/x-pickle",
    "application/vnd.bentoml+pickle",
    "application/octet-stream",
    "application/x-joblib",
    "multipart/form-data; boundary=x",
    "application/x-www-form-urlencoded",
    "text/plain",
    "application/xml",
]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (path, kind)
        for path in ("/train", "/predict")
        for kind in PICKLES
        if (path, kind) != ("/predict", "application/octet-stream")  # doubles without a header
    ],
)
def test_other_content_types_are_415(client: httpx.Client, path: str, kind: str) -> None:
    answer = client.post(path, content=b"cos\nsystem\n.", headers={"content-type": kind})
    assert answer.status_code == 415
    assert answer.json()["type"] == "urn:frtsvm:problem:unsupported-media-type"


BAD_TABLES: list[tuple[str, bytes, dict[str, str], int]] = [
    ("no target", b"a,b\n1,2\n", {}, 422),
    ("unknown target", b"a,b\n1,2\n", {"target": "c"}, 422),
    ("ragged", b"a,b\n1,2\n3\n", {"target": "b"}, 422),
    ("same names", b"a,a\n1,2\n", {"target": "a"}, 422),
    ("no rows", b"a,b\n", {"target": "b"}, 422),
    ("nothing", b"", {"target": "b"}, 400),
    ("not UTF-8", b"a,b\n\xff,2\n", {"target": "b"}, 400),
    ("open quote", b'a,b\n"1,2\n', {"target": "b"}, 400),
    ("infinite", b"a,b\ninf,x\n1,y\n", {"target": "b"}, 422),
    ("missing label", b"a,b\n1,\n2,y\n", {"target": "b"}, 422),
    ("missing cell", b"a,b\n,x\n2,y\n", {"target": "b"}, 422),
    ("text cell", b"a,b\nq,x\n2,y\n", {"target": "b"}, 422),
    ("only the target", b"b\nx\ny\n", {"target": "b"}, 422),
    ("options not JSON", b"a,b\n1,x\n2,y\n", {"target": "b", "options": "{"}, 400),
    ("wrong options", b"a,b\n1,x\n2,y\n", {"target": "b", "options": '{"a": 1}'}, 422),
    ("wrong name", b"a,b\n1,x\n2,y\n", {"target": "b", "model": ".."}, 422),
]


@pytest.mark.parametrize(
    ("body", "query", "status"),
    [case[1:] for case in BAD_TABLES],
    ids=[case[0] for case in BAD_TABLES],
)
def test_bad_table(client: httpx.Client, body: bytes, query: dict[str, str], status: int) -> None:
    answer = client.post("/train", params=query, content=body, headers={"content-type": "text/csv"})
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"


def test_invalid_parquet(client: httpx.Client) -> None:
    headers = {"content-type": "application/vnd.apache.parquet"}
    answer = client.post("/train?target=a", content=b"PAR1nonsensePAR1", headers=headers)
    assert answer.status_code == 400


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nowhere", 404),
        ("GET", "/train", 405),
        ("DELETE", "/predict", 405),
        ("PATCH", "/models/x", 405),
        ("GET", "/models/none-such", 404),
        ("GET", "/models/none-such/versions/1", 404),
        ("GET", "/models/none-such/versions/1/planes", 404),
        ("GET", "/models/none-such/versions/1/memberships", 404),
        ("DELETE", "/models/none-such", 404),
        ("DELETE", "/models/none-such/versions/1", 404),
        ("DELETE", "/models/none-such/aliases/production", 404),
        ("POST", "/models/none-such/aliases/production/rollback", 404),
        ("GET", "/jobs/" + "0" * 32, 404),
        ("DELETE", "/jobs/" + "0" * 32, 404),
        ("GET", "/jobs/" + "0" * 32 + "/events", 404),
        ("GET", "/jobs/zzz", 422),
        ("GET", "/models?limit=0", 422),
        ("GET", "/models?offset=-1", 422),
        ("GET", "/models/none-such/versions/0", 422),
        ("GET", "/models/none-such/versions/99999999999999999999", 422),
        ("GET", "/models/none-such/versions/x", 422),
    ],
)
def test_wrong_urls(client: httpx.Client, method: str, path: str, status: int) -> None:
    answer = client.request(method, path)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == status
    if status == 405:
        allowed = {"/train": "POST", "/predict": "POST", "/models/x": "DELETE, GET"}
        assert answer.headers["allow"] == allowed[path]


TRAVERSALS = [
    "..",
    "../secret.key",
    "..%2Fsecret.key",
    "%2e%2e",
    "..%5c",
    "a%00b",
    "a%0Ab",
    "a" * 65,
]


@pytest.mark.parametrize("name", TRAVERSALS)
@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_names_cannot_leave_the_store(client: httpx.Client, name: str, method: str) -> None:
    for path in (f"/models/{name}", f"/models/{name}/versions/1", f"/models/x/aliases/{name}"):
        answer = client.request(method, path)
        resolved = answer.request.url.path == "/"  # the client resolved it to `/`, the studio
        assert answer.status_code in ((200, 405) if resolved else (404, 405, 422))
    answer = client.post("/predict", json={"model": name, "X": [[1]]})
    assert answer.status_code == 422


def test_a_declared_body_over_the_limit_is_refused_unread(server: Server) -> None:
    limit = 64 * 1024**2
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as line:
        line.sendall(b"POST /train HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % (limit + 1))
        answer = b""
        while piece := line.recv(65536):  # until the server closes the connection
            answer += piece
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["max_body_bytes"] == limit


def test_streamed_body_over_the_limit(client: httpx.Client) -> None:
    piece = b" " * 1024**2
    answer = client.post("/predict", content=(piece for _ in range(66)), headers=JSON)
    assert answer.status_code == 413
    assert answer.json()["type"] == "urn:frtsvm:problem:body-too-large"
