"""Compressed bodies on every route, and decompression bombs."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.api.encodings import response_coding
from tests.app.data import training
from tests.app.server import Server

PACK = {"gzip": gzip.compress, "x-gzip": gzip.compress, "deflate": zlib.compress}
INFER = "/v2/models/packed/infer"
TENSOR = {"name": "X", "shape": [1, 2], "datatype": "FP64", "data": [2, 2]}
PREDICT: tuple[tuple[str, Any], ...] = (
    ("/predict", {"model": "packed", "X": [[2, 2]]}),
    (INFER, {"inputs": [TENSOR]}),
)


@pytest.fixture(scope="module", autouse=True)
def trained(server: Server) -> None:
    with server.client() as client:
        assert client.post("/train", json=training("packed")).status_code == 201


@pytest.mark.parametrize("coding", PACK)
@pytest.mark.parametrize(("path", "body"), PREDICT)
def test_compressed_and_plain_bodies_give_the_same_response(
    client: httpx.Client, path: str, body: Any, coding: str
) -> None:
    plain = json.dumps(body).encode()
    headers = {"content-type": "application/json"}
    expected = client.post(path, content=plain, headers=headers)
    headers["content-encoding"] = coding.upper()
    found = client.post(path, content=PACK[coding](plain), headers=headers)
    assert found.status_code == expected.status_code == 200, found.text
    assert found.content == expected.content


def test_train_accepts_compressed_json_and_csv(client: httpx.Client) -> None:
    headers = {"content-encoding": "gzip", "content-type": "application/json"}
    body = gzip.compress(json.dumps(training("packed-json", n=3000)).encode())
    assert client.post("/train", content=body, headers=headers).status_code == 201
    headers = {"content-encoding": "deflate", "content-type": "text/csv"}
    table = "a,b\n" + "".join(f"{i},{'x' if i % 2 else 'y'}\n" for i in range(40))
    path = "/train?target=b&model=packed-csv"
    answer = client.post(path, content=zlib.compress(table.encode()), headers=headers)
    assert answer.status_code == 201, answer.text


def test_compressed_requests_are_counted_under_their_route(client: httpx.Client) -> None:
    line = 'frtsvm_requests_total{method="POST",route="/predict",status="200"} '

    def counted() -> float:
        text = client.get("/metrics").text
        return next((float(x.split()[-1]) for x in text.splitlines() if x.startswith(line)), 0.0)

    before = counted()
    assert client.post("/predict", content=GOOD, headers={"content-encoding": "gzip"}).is_success
    assert counted() == before + 1


def test_identity_is_accepted(client: httpx.Client) -> None:
    headers = {"content-encoding": "identity"}
    assert client.post(*PREDICT[0][:1], json=PREDICT[0][1], headers=headers).status_code == 200


GOOD = gzip.compress(b'{"model": "packed", "X": [[2, 2]]}')
BROKEN: list[tuple[str, bytes]] = [
    ("not gzip", b"{}"),
    ("empty", b""),
    ("incomplete", GOOD[:-9]),
    ("without its checksum", GOOD[:-8]),
    ("wrong checksum", GOOD[:-8] + b"\0" * 8),
    ("two members", GOOD + GOOD),
    ("trailing bytes", GOOD + b"x"),
]


@pytest.mark.parametrize("body", [case[1] for case in BROKEN], ids=[case[0] for case in BROKEN])
@pytest.mark.parametrize("path", ["/predict", "/train", INFER])
def test_broken_gzip_is_400(client: httpx.Client, path: str, body: bytes) -> None:
    answer = client.post(path, content=body, headers={"content-encoding": "gzip"})
    assert answer.status_code == 400, answer.text


@pytest.mark.parametrize("coding", ["br", "zstd", "compress", "gzip, gzip", "", "\xff"])
@pytest.mark.parametrize("path", ["/predict", "/train", INFER, "/v2/repository/index"])
def test_other_codings_are_415(client: httpx.Client, path: str, coding: str) -> None:
    raw = [(b"content-encoding", coding.encode("latin-1"))]
    answer = client.post(path, content=b"{}", headers=raw)
    assert answer.status_code == 415, answer.text


def test_repeated_coding_is_415(client: httpx.Client) -> None:
    twice = [("content-encoding", "gzip"), ("content-encoding", "gzip")]
    answer = client.post("/predict", content=gzip.compress(GOOD), headers=twice)
    assert answer.status_code == 415


@pytest.mark.parametrize("path", ["/predict", INFER])
def test_a_bomb_is_refused_at_the_limit(tmp_path: Path, path: str) -> None:
    """1 MB that decompresses to 1 GB needs no more memory than a body at the limit."""
    packer = zlib.compressobj(9, wbits=31)
    head = packer.compress(b"") + packer.flush(zlib.Z_FULL_FLUSH)
    # after a full flush, blocks are independent, so one block can be repeated
    block = packer.compress(bytes(16 * 1024**2)) + packer.flush(zlib.Z_FULL_FLUSH)
    bomb = head + 64 * block
    assert len(zlib.decompressobj(31).decompress(head + 2 * block)) == 32 * 1024**2
    assert len(bomb) < 1.1 * 1024**2
    with Server(tmp_path / "home", max_body_bytes=4 * 1024**2) as server, server.client() as client:
        client.get("/healthz")
        before = _peak_kb(server.pid)
        answer = client.post(path, content=bomb, headers={"content-encoding": "gzip"})
        assert answer.status_code == 413, answer.text
        assert "at most 4194304" in answer.text
        assert answer.elapsed.total_seconds() < 20  # also on a very busy machine
        assert _peak_kb(server.pid) - before < 40 * 1024
        assert client.get("/healthz").status_code == 200


def _peak_kb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])


@pytest.mark.parametrize("streamed", [False, True])
def test_a_small_bomb_is_counted_too(client: httpx.Client, streamed: bool) -> None:
    """64 KB that decompress to 65 MB: the declared length is below the limit."""
    bomb = gzip.compress(bytes(65 * 1024**2))
    assert len(bomb) < 65 * 1024
    content = iter([bomb[:1000], bomb[1000:]]) if streamed else bomb
    answer = client.post("/predict", content=content, headers={"content-encoding": "gzip"})
    assert answer.status_code == 413, answer.text


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip", "gzip"),
        ("deflate", "deflate"),
        ("GZIP;q=0.5", "gzip"),
        ("gzip, identity;q=0.1", "gzip"),
        ("gzip;q=0", None),
        ("identity", None),
        ("br", None),
        ("*", None),
        ("gzip, deflate, br", None),  # the list of a library, not a wish of the client
        ("", None),
        (None, None),
    ],
)
def test_content_coding_of_the_response(accepted: str | None, coding: str | None) -> None:
    headers = {} if accepted is None else {b"accept-encoding": accepted.encode()}
    assert response_coding(headers) == coding
