"""Calls of the published client libraries tritonclient and KServe.

`CALLS` and `KSERVE_CALLS` list 26 calls. Those of tritonclient are repeated with its asyncio
variant.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import httpx
import numpy as np
import pytest
import tritonclient.http as triton
import tritonclient.http.aio as triton_aio
from kserve import InferenceRESTClient, InferInput, InferRequest
from kserve.inference_client import RESTConfig
from kserve.protocol.infer_type import RequestedOutput
from tritonclient.utils import InferenceServerException

from tests.app.api.v2.models import PROBE
from tests.app.server import Server

TritonCall = Callable[[triton.InferenceServerClient], Any]


@pytest.fixture(scope="module")
def client(serving: Server) -> Iterator[triton.InferenceServerClient]:
    with triton.InferenceServerClient(f"127.0.0.1:{serving.port}") as client:
        yield client


@pytest.fixture(scope="module")
def expected(serving: Server) -> dict[str, Any]:
    """The response of /predict for the same rows."""
    with serving.client() as http:
        body = {"model": "words", "X": PROBE.tolist()}
        answer: dict[str, Any] = http.post("/predict", json=body).json()
        return answer


def matrix(*, binary: bool, rows: Any = PROBE, datatype: str = "FP64") -> triton.InferInput:
    tensor = triton.InferInput("X", list(rows.shape), datatype)
    return tensor.set_data_from_numpy(rows, binary_data=binary)


def wanted(*names: str, binary: bool) -> list[triton.InferRequestedOutput]:
    return [triton.InferRequestedOutput(name, binary_data=binary) for name in names]


def asked(
    model: str = "words", *, binary: bool = True, outputs: Any = None, **options: Any
) -> TritonCall:
    """Return an inference call."""
    return lambda client: client.infer(model, [matrix(binary=binary)], outputs=outputs, **options)


def same_as(expected: dict[str, Any], found: triton.InferResult, *names: str) -> bool:
    """Check that every requested output equals that of /predict."""
    parts = {"label": "labels", "score": "scores", "distances": "distances"}
    for name in names or parts:
        values, right = found.as_numpy(name), expected[parts[name]]
        if name == "label":
            words = [word.decode() if isinstance(word, bytes) else word for word in values]
            assert words == right
        else:
            np.testing.assert_array_equal(values, np.array(right))
    for name in parts.keys() - set(names or parts):
        assert found.as_numpy(name) is None
    return True


def in_binary(found: triton.InferResult) -> bool:
    return all(
        "binary_data_size" in o.get("parameters", {}) for o in found.get_response()["outputs"]
    )


Check = Callable[[Any, dict[str, Any]], bool]

#: Name, call, and check of its result.
CALLS: list[tuple[str, TritonCall, Check]] = [
    ("is_server_live", lambda c: c.is_server_live(), lambda r, _: r is True),
    ("is_server_ready", lambda c: c.is_server_ready(), lambda r, _: r is True),
    ("is_model_ready", lambda c: c.is_model_ready("words"), lambda r, _: r is True),
    ("is_model_ready, version", lambda c: c.is_model_ready("words", "1"), lambda r, _: r is True),
    (
        "get_server_metadata",
        lambda c: c.get_server_metadata(),
        lambda r, _: r["name"] == "frtsvm" and "binary_tensor_data" in r["extensions"],
    ),
    (
        "get_model_metadata",
        lambda c: c.get_model_metadata("words"),
        lambda r, _: r["versions"] == ["2", "1"] and r["platform"] == "frtsvm",
    ),
    (
        "get_model_metadata, version",
        lambda c: c.get_model_metadata("words", "1"),
        lambda r, _: r["inputs"] == [{"name": "X", "datatype": "FP64", "shape": [-1, 2]}],
    ),
    (
        "get_model_config",
        lambda c: c.get_model_config("words"),
        lambda r, _: r["input"][0]["data_type"] == "TYPE_FP64" and r["max_batch_size"] == 0,
    ),
    (
        "get_inference_statistics",
        lambda c: c.get_inference_statistics(),
        lambda r, _: isinstance(r["model_stats"], list),
    ),
    (
        "get_inference_statistics, version",
        lambda c: c.get_inference_statistics("words", "1"),
        lambda r, _: [s["version"] for s in r["model_stats"]] == ["1"],
    ),
    (
        "get_model_repository_index",
        lambda c: c.get_model_repository_index(),
        lambda r, _: {"name": "words", "version": "2", "state": "READY", "reason": ""} in r,
    ),
    ("load_model", lambda c: c.load_model("words"), lambda r, _: r is None),
    ("unload_model", lambda c: c.unload_model("words"), lambda r, _: r is None),
    (
        "infer, JSON",
        asked(binary=False, outputs=wanted("label", binary=False)),
        lambda r, e: same_as(e, r, "label") and not in_binary(r),
    ),
    ("infer, binary", asked(), lambda r, e: same_as(e, r) and in_binary(r)),
    (
        "infer, binary in, JSON out",
        asked(outputs=wanted("score", "label", binary=False)),
        lambda r, e: same_as(e, r, "score", "label") and not in_binary(r),
    ),
    (
        "infer, JSON in, binary out",
        asked(binary=False, outputs=wanted("distances", binary=True)),
        lambda r, e: same_as(e, r, "distances") and in_binary(r),
    ),
    (
        "infer, version",
        asked(model_version="1"),
        lambda r, _: r.get_response()["model_version"] == "1",
    ),
    (
        "infer, id and parameters",
        asked(request_id="id-1", priority=3, timeout=10**6, sequence_id=5, parameters={"me": "x"}),
        lambda r, e: r.get_response()["id"] == "id-1" and same_as(e, r),
    ),
    (
        "infer, gzip",
        asked(request_compression_algorithm="gzip", response_compression_algorithm="gzip"),
        lambda r, e: same_as(e, r),
    ),
    (
        "infer, deflate",
        asked(request_compression_algorithm="deflate", response_compression_algorithm="deflate"),
        lambda r, e: same_as(e, r),
    ),
]


@pytest.mark.parametrize(
    ("call", "right"), [case[1:] for case in CALLS], ids=[case[0] for case in CALLS]
)
def test_tritonclient(
    client: triton.InferenceServerClient, expected: dict[str, Any], call: TritonCall, right: Check
) -> None:
    assert right(call(client), expected)


class _Awaited:
    """Gives the asyncio client the interface of the other one, so that both run the same calls."""

    def __init__(self, client: triton_aio.InferenceServerClient, loop: asyncio.Runner) -> None:
        self._client = client
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)
        return lambda *args, **options: self._loop.run(method(*args, **options))


def test_tritonclient_asyncio(serving: Server, expected: dict[str, Any]) -> None:
    with asyncio.Runner() as loop:

        async def connect() -> triton_aio.InferenceServerClient:
            return triton_aio.InferenceServerClient(f"127.0.0.1:{serving.port}")

        client = loop.run(connect())
        for name, call, right in CALLS:
            assert right(call(_Awaited(client, loop)), expected), name  # type: ignore[arg-type]
        loop.run(client.close())


# --- KServe's client ------------------------------------------------------------------------

KserveCall = Callable[[InferenceRESTClient, str], Awaitable[Any]]


def kserve_request(*, binary: bool, outputs: tuple[str, ...] = ()) -> InferRequest:
    tensor = InferInput("X", list(PROBE.shape), "FP64")
    tensor.set_data_from_numpy(PROBE, binary_data=binary)
    asked_for = [RequestedOutput(name, {"binary_data": binary}) for name in outputs]
    return InferRequest("words", [tensor], request_id="k-1", request_outputs=asked_for or None)


def kserve_right(found: Any, expected: dict[str, Any]) -> bool:
    assert found.id == "k-1"
    label = found.get_output_by_name("label").data
    score = found.get_output_by_name("score").data
    return list(label) == expected["labels"] and list(score) == expected["scores"]


KSERVE_CALLS: list[tuple[str, KserveCall, Check]] = [
    ("is_server_live", lambda c, url: c.is_server_live(url), lambda r, _: r is True),
    ("is_server_ready", lambda c, url: c.is_server_ready(url), lambda r, _: r is True),
    ("is_model_ready", lambda c, url: c.is_model_ready(url, "words"), lambda r, _: r is True),
    (
        "infer, JSON",
        lambda c, url: c.infer(url, kserve_request(binary=False), model_name="words"),
        kserve_right,
    ),
    (
        "infer, binary",
        lambda c, url: c.infer(
            url, kserve_request(binary=True, outputs=("label", "score")), model_name="words"
        ),
        kserve_right,
    ),
]


def test_the_table_is_complete() -> None:
    assert len(CALLS) + len(KSERVE_CALLS) >= 25


async def kserve(call: KserveCall, url: str) -> Any:
    async with InferenceRESTClient(RESTConfig(protocol="v2", timeout=60)) as client:
        return await call(client, url)


@pytest.mark.parametrize(
    ("call", "right"), [case[1:] for case in KSERVE_CALLS], ids=[case[0] for case in KSERVE_CALLS]
)
def test_kserve_client(
    serving: Server, expected: dict[str, Any], call: KserveCall, right: Check
) -> None:
    assert right(asyncio.run(kserve(call, serving.url)), expected)


def test_errors_reach_the_callers_of_both_libraries(
    serving: Server, client: triton.InferenceServerClient
) -> None:
    with pytest.raises(InferenceServerException, match=r"There is no model 'none'\.") as caught:
        client.infer("none", [matrix(binary=True)])
    assert caught.value.status() == "404"
    assert client.is_model_ready("none") is False

    def call(one: InferenceRESTClient, url: str) -> Awaitable[Any]:
        return one.infer(url, kserve_request(binary=True), model_name="none")

    with pytest.raises(httpx.HTTPStatusError, match=r"There is no model 'none'\."):
        asyncio.run(kserve(call, serving.url))


# --- datatypes ------------------------------------------------------------------------------


@pytest.mark.parametrize("binary", [True, False], ids=["binary", "json"])
@pytest.mark.parametrize(
    ("datatype", "dtype"),
    [
        ("BOOL", bool),
        ("INT8", np.int8),
        ("INT16", np.int16),
        ("INT32", np.int32),
        ("INT64", np.int64),
        ("UINT8", np.uint8),
        ("UINT16", np.uint16),
        ("UINT32", np.uint32),
        ("UINT64", np.uint64),
        ("FP16", np.float16),
        ("FP32", np.float32),
        ("FP64", np.float64),
    ],
)
def test_every_datatype_of_numbers(
    client: triton.InferenceServerClient,
    http: httpx.Client,
    datatype: str,
    dtype: Any,
    binary: bool,
) -> None:
    rows = np.array([[1, 0], [0, 1], [1, 1]]).astype(dtype)
    found = client.infer("words", [matrix(binary=binary, rows=rows, datatype=datatype)])
    plain = http.post("/predict", json={"model": "words", "X": rows.astype(float).tolist()}).json()
    assert same_as(plain, found)


@pytest.mark.parametrize("binary", [True, False], ids=["binary", "json"])
@pytest.mark.parametrize(
    ("model", "datatype"), [("words", "BYTES"), ("numbers", "INT64"), ("flags", "BOOL")]
)
def test_labels_have_the_datatype_of_the_training(
    client: triton.InferenceServerClient,
    http: httpx.Client,
    model: str,
    datatype: str,
    binary: bool,
) -> None:
    outputs = wanted("label", binary=binary)
    found = client.infer(model, [matrix(binary=True)], outputs=outputs)
    assert found.get_output("label")["datatype"] == datatype
    right = http.post("/predict", json={"model": model, "X": PROBE.tolist()}).json()["labels"]
    labels = found.as_numpy("label").tolist()
    assert [w.decode() if isinstance(w, bytes) else w for w in labels] == right
    assert {type(label) for label in right} == {
        {"BYTES": str, "INT64": int, "BOOL": bool}[datatype]
    }


@pytest.mark.parametrize("model", ["three", "rest"])
def test_more_classes_have_a_score_each(
    client: triton.InferenceServerClient, http: httpx.Client, model: str
) -> None:
    found = client.infer(model, [matrix(binary=True)])
    plain = http.post("/predict", json={"model": model, "X": PROBE.tolist()}).json()
    assert found.as_numpy("score").shape == (len(PROBE), 3)
    names = ["label", "score"] + (["distances"] if model == "rest" else [])
    assert same_as(plain, found, *names)
    described = client.get_model_metadata(model)["outputs"]
    assert [output["name"] for output in described] == names
    for output in described:
        assert list(found.as_numpy(output["name"]).shape[1:]) == output["shape"][1:]


@pytest.mark.parametrize("binary", [True, False], ids=["binary", "json"])
@pytest.mark.parametrize("shape", [(3,), (3, 1)])
def test_one_tensor_per_feature(
    client: triton.InferenceServerClient, http: httpx.Client, shape: tuple[int, ...], binary: bool
) -> None:
    metadata = client.get_model_metadata("mixed")
    assert metadata["inputs"] == [
        {"name": "age", "datatype": "FP64", "shape": [-1]},
        {"name": "city", "datatype": "BYTES", "shape": [-1]},
    ]
    ages = np.array([1.5, -2.0, 0.0]).reshape(shape)
    cities = np.array(["Ulm", "Bonn", "Köln"], dtype=object).reshape(shape)
    age = triton.InferInput("age", list(shape), "FP64").set_data_from_numpy(ages, binary)
    city = triton.InferInput("city", list(shape), "BYTES").set_data_from_numpy(cities, binary)
    found = client.infer("mixed", [city, age])  # in any order
    rows = [
        {"age": float(a), "city": c}
        for a, c in zip(ages.reshape(-1), cities.reshape(-1), strict=True)
    ]
    assert same_as(http.post("/predict", json={"model": "mixed", "X": rows}).json(), found)


def test_text_that_looks_like_a_number_stays_text(client: triton.InferenceServerClient) -> None:
    """The model is trained on the words "10" and "20". Text and numbers are not converted."""
    words = np.array([["10"], ["20"], ["30"]], dtype=object)
    tensor = triton.InferInput("X", [3, 1], "BYTES").set_data_from_numpy(words)
    assert client.get_model_metadata("codes")["inputs"][0]["datatype"] == "BYTES"
    labels = client.infer("codes", [tensor]).as_numpy("label")
    assert labels.tolist()[:2] == [b"yes", b"no"]
    with pytest.raises(InferenceServerException, match="must contain text"):
        client.infer("codes", [matrix(binary=True, rows=np.array([[10.0]]))])
    as_text = triton.InferInput("X", [1, 2], "BYTES")
    as_text.set_data_from_numpy(np.array([["1.5", "2"]], dtype=object))
    with pytest.raises(InferenceServerException, match="text instead of a number"):
        client.infer("words", [as_text])


@pytest.mark.parametrize("binary", [True, False], ids=["binary", "json"])
def test_nan_is_a_missing_cell(
    client: triton.InferenceServerClient, http: httpx.Client, binary: bool
) -> None:
    rows = np.array([[np.nan, 1.0], [-2.0, -2.0]])
    found = client.infer("holes", [matrix(binary=binary, rows=rows)])
    plain = http.post("/predict", json={"model": "holes", "X": [[None, 1.0], [-2.0, -2.0]]}).json()
    assert same_as(plain, found)
    with pytest.raises(InferenceServerException, match=r"row 0 .*: column 0: The cell is missing"):
        client.infer("words", [matrix(binary=binary, rows=rows)])


def test_statistics_count_rows_and_requests(client: triton.InferenceServerClient) -> None:
    def now() -> dict[str, Any]:
        found: dict[str, Any] = client.get_inference_statistics("numbers", "1")["model_stats"][0]
        return found

    before = now()
    for _ in range(3):
        client.infer("numbers", [matrix(binary=True)])
    with pytest.raises(InferenceServerException):
        client.infer("numbers", [matrix(binary=True)], outputs=wanted("nothing", binary=True))
    after = now()
    assert after["inference_count"] - before["inference_count"] == 3 * len(PROBE)
    assert after["execution_count"] - before["execution_count"] == 3
    stats, earlier = after["inference_stats"], before["inference_stats"]
    assert stats["success"]["count"] - earlier["success"]["count"] == 3
    assert stats["fail"]["count"] - earlier["fail"]["count"] == 1
    parts = sum(stats[f"compute_{part}"]["ns"] for part in ("input", "infer", "output"))
    assert stats["success"]["ns"] == parts > 0
    batch = next(b for b in after["batch_stats"] if b["batch_size"] == len(PROBE))
    assert batch["compute_infer"]["count"] >= 3
    assert after["last_inference"] > before["last_inference"]


def test_unloading_frees_memory_and_loading_uses_it(
    client: triton.InferenceServerClient, http: httpx.Client
) -> None:
    def loaded() -> float:
        text = http.get("/metrics").text
        line = next(x for x in text.splitlines() if x.startswith("frtsvm_model_cache_models "))
        return float(line.split()[1])

    client.load_model("flags")
    with_it = loaded()
    client.unload_model("flags", unload_dependents=True)
    assert loaded() == with_it - 1
    assert client.is_model_ready("flags")  # a request loads the model again
    assert loaded() == with_it
    for action in (client.load_model, client.unload_model):
        with pytest.raises(InferenceServerException, match="There is no model"):
            action("none")
    with pytest.raises(InferenceServerException, match="POST /train"):
        client.load_model("flags", config='{"backend": "python"}')
    with pytest.raises(InferenceServerException, match="POST /train"):
        client.load_model("flags", config="{}", files={"file:1/model.bin": b"x"})
