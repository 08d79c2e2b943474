"""Corpus of invalid requests: request lines, headers, JSON, tables and tensors."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tests.app.api.test_problems import RAW_BODIES
from tests.reliability.wire import request

#: Statuses of refused requests. 0 means that the server closed the connection without a response.
REFUSED = frozenset({0, *range(400, 500)})
FINE = frozenset({200, 201, 202, 204})
EITHER = REFUSED | FINE
TOO_LARGE = frozenset({413})
INVALID = frozenset({422})


@dataclass(frozen=True)
class Hostile:
    """One request and the statuses that its response may have."""

    name: str
    raw: bytes
    allowed: frozenset[int] = REFUSED


def corpus() -> list[Hostile]:
    """All hostile requests."""
    return [*_lines(), *_headers(), *_json(), *_tables(), *_tensors()]


def _lines() -> Iterator[Hostile]:
    end = b"\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    lines = {
        "empty request line": b"",
        "no path": b"GET HTTP/1.1",
        "version 9.9": b"GET /healthz HTTP/9.9",
        "version without number": b"GET /healthz HTTP/",
        "HTTP/2 preface": b"PRI * HTTP/2.0",
        "method with a space": b"GE T /healthz HTTP/1.1",
        "method in lower case": b"get /healthz HTTP/1.1",
        "unknown method": b"FROBNICATE /healthz HTTP/1.1",
        "TRACE": b"TRACE /healthz HTTP/1.1",
        "CONNECT": b"CONNECT 127.0.0.1:80 HTTP/1.1",
        "long method": b"A" * 50_000 + b" / HTTP/1.1",
        "long path": b"GET /" + b"a" * 60_000 + b" HTTP/1.1",
        "long query": b"GET /models?limit=" + b"1" * 30_000 + b" HTTP/1.1",
        "NUL in the path": b"GET /mod\x00els HTTP/1.1",
        "NUL, encoded": b"GET /models/%00 HTTP/1.1",
        "newline, encoded": b"GET /models/%0d%0aX:1 HTTP/1.1",
        "not UTF-8, encoded": b"GET /models/%ff%fe HTTP/1.1",
        "incomplete percent escape": b"GET /models/%2 HTTP/1.1",
        "bytes over 127": b"GET /models/\xff\xfe HTTP/1.1",
        "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        "tabs instead of spaces": b"GET\t/healthz\tHTTP/1.1",
        "TRACE with a body": b"TRACE / HTTP/1.1\r\nContent-Length: 3",
        "double slash": b"GET //models HTTP/1.1",
        "dots": b"GET /models/../../etc/passwd HTTP/1.1",
    }
    for name, line in lines.items():
        yield Hostile(f"line: {name}", line + end)
    yield Hostile("line: absolute URL", b"GET http://127.0.0.1/healthz HTTP/1.1" + end, EITHER)
    yield Hostile("line: HTTP/1.0", b"GET /healthz HTTP/1.0" + end, EITHER)
    yield Hostile("line: empty lines first", b"\r\n\r\nGET /healthz HTTP/1.1" + end, EITHER)
    yield Hostile("line: asterisk", b"OPTIONS * HTTP/1.1" + end, EITHER)
    yield Hostile("line: no version", b"GET /healthz" + end, EITHER)
    yield Hostile("line: version 0.9", b"GET /healthz HTTP/0.9" + end, EITHER)
    many = b"&".join([b"a=1"] * 5000)  # unknown parameters
    yield Hostile("line: many query fields", b"GET /models?" + many + b" HTTP/1.1" + end, EITHER)
    yield Hostile("line: random bytes", np.random.default_rng(0).bytes(4096))


def _headers() -> Iterator[Hostile]:
    start = b"POST /predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    chunked = b"Transfer-Encoding: chunked\r\n\r\n"
    fields = {
        "length and chunks": b"Content-Length: 2\r\n" + chunked + b"2\r\n{}\r\n0\r\n\r\n",
        "two lengths": b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
        "negative length": b"Content-Length: -1\r\n\r\n{}",
        "length with a sign": b"Content-Length: +2\r\n\r\n{}",
        "length in hexadecimal": b"Content-Length: 0x2\r\n\r\n{}",
        "length of 30 digits": b"Content-Length: " + b"9" * 30 + b"\r\n\r\n{}",
        "length larger than the body": b"Content-Length: 50\r\n\r\n{}",
        "empty length": b"Content-Length: \r\n\r\n{}",
        "unknown transfer coding": b"Transfer-Encoding: frob\r\n\r\n{}",
        "chunked twice": b"Transfer-Encoding: chunked, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "chunk size not a number": chunked + b"zz\r\n{}\r\n0\r\n\r\n",
        "chunk size huge": chunked + b"ffffffffffffffff\r\n{}\r\n0\r\n\r\n",
        "chunk without terminator": chunked + b"2\r\n{}",
        "chunk longer than declared": chunked + b"1\r\n{}\r\n0\r\n\r\n",
        "space before the colon": b"Content-Length : 2\r\n\r\n{}",
        "folded header": b"X-A: 1\r\n  2\r\nContent-Length: 2\r\n\r\n{}",
        "no colon": b"Content-Length\r\n\r\n{}",
        "empty name": b": 2\r\n\r\n{}",
        "NUL in a value": b"X-A: a\x00b\r\nContent-Length: 2\r\n\r\n{}",
        "bare newlines": b"X-A: 1\nX-B: 2\nContent-Length: 2\n\n{}",
        "many fields": b"".join(b"X-%d: 1\r\n" % i for i in range(500))
        + b"Content-Length: 2\r\n\r\n{}",
        "one long field": b"X-A: " + b"x" * 1_000_000 + b"\r\nContent-Length: 2\r\n\r\n{}",
        "unknown expectation": b"Expect: 200-maybe\r\nContent-Length: 2\r\n\r\n{}",
        "upgrade": b"Connection: Upgrade, close\r\nUpgrade: websocket\r\nContent-Length: 2\r\n\r\n{}",
        "upgrade to HTTP/2": b"Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\n{}",
    }
    for name, rest in fields.items():
        yield Hostile(f"header: {name}", start + rest)
    too_long = start + b"Content-Length: 99999999999\r\n\r\n{}"
    yield Hostile("header: length over the limit", too_long, TOO_LARGE)
    body = json.dumps({"X": [[1.0, 2.0]]}).encode()
    sent = {
        "unknown content coding": ({"Content-Encoding": "br"}, body),
        "invalid gzip": ({"Content-Encoding": "gzip"}, body),
        "truncated gzip": ({"Content-Encoding": "gzip"}, gzip.compress(body * 100)[:-20]),
        "gzip bomb": ({"Content-Encoding": "gzip"}, gzip.compress(bytes(80 * 1024**2), 9)),
        "deflate bomb": ({"Content-Encoding": "deflate"}, zlib.compress(bytes(80 * 1024**2), 9)),
        "gzip in gzip": ({"Content-Encoding": "gzip, gzip"}, gzip.compress(gzip.compress(body))),
        "unknown charset": ({"Content-Type": "application/json; charset=utf-7"}, b"{}"),
        "no type": ({"Content-Type": ""}, b"{}"),
        "type of 5000 characters": ({"Content-Type": "a" * 5000}, b"{}"),
        "3000 accepted types": ({"Accept": ",".join(["text/x"] * 3000)}, body),
        "unsupported accepted type": ({"Accept": "image/png"}, body),
        "other host": ({"Host": "evil.example"}, body),
        "host with a path": ({"Host": "127.0.0.1/evil"}, body),
        "other origin": ({"Origin": "http://evil.example"}, body),
        "method override": ({"X-HTTP-Method-Override": "DELETE"}, body),
        "range": ({"Range": "bytes=0-,0-,0-,0-"}, body),
        "request id with a tab": ({"X-Request-Id": "a\tb"}, body),
    }
    for name, (headers, content) in sent.items():
        allowed = TOO_LARGE if "bomb" in name else REFUSED
        yield Hostile(f"header: {name}", request("POST", "/predict", content, headers), allowed)


#: Bodies in addition to those of the API tests.
_MORE_BODIES: dict[str, bytes] = {
    "number as text": b'{"X": [["1.5", "2"]], "y": ["a"]}',
    "boolean instead of a number": b'{"X": [[true, 2], [1, 3]], "y": ["a", "b"]}',
    "version as text": b'{"X": [[1, 2]], "version": "1"}',
    "version 0": b'{"X": [[1, 2]], "version": 0}',
    "version 1.5": b'{"X": [[1, 2]], "version": 1.5}',
    "version of 40 digits": b'{"X": [[1, 2]], "version": ' + b"9" * 40 + b"}",
    "name with dots": b'{"model": "../../etc/passwd", "X": [[1, 2]]}',
    "name with a NUL": b'{"model": "a\\u0000", "X": [[1, 2]]}',
    "name of 10,000 characters": b'{"model": "' + b"a" * 10_000 + b'", "X": [[1, 2]]}',
    "name that is a list": b'{"model": ["m"], "X": [[1, 2]]}',
    "huge unknown key": b'{"' + b"k" * 1_000_000 + b'": 1}',
    "huge text cell": b'{"X": [["' + b"a" * 2_000_000 + b'"]], "y": [1]}',
    "deep objects": b'{"X":' * 5000 + b"1" + b"}" * 5000,
    "deep lists in X": b'{"X":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    "many nulls": b'{"X": [' + b",".join([b"[null]"] * 100_000) + b"]}",
    "ragged at the end": b'{"X": [' + b"[1,2]," * 50_000 + b"[1]]}",
    "one row of a million": b'{"X": [[' + b"1," * 1_000_000 + b"1]]}",
    "numbers without comma": b'{"X": [[1 2]]}',
    "leading zero": b'{"X": [[01, 2]]}',
    "plus sign": b'{"X": [[+1, 2]]}',
    "hexadecimal": b'{"X": [[0x10, 2]]}',
    "trailing comma": b'{"X": [[1, 2],]}',
    "single quotes": b"{'X': [[1, 2]]}",
    "invalid escape": b'{"X": [["\\x"]]}',
    "raw newline in text": b'{"model": "a\nb", "X": [[1, 2]]}',
    "NUL bytes": b"\x00" * 1000,
    "all spaces": b" " * 100_000,
}


def _json() -> Iterator[Hostile]:
    for name, body, _ in RAW_BODIES:
        yield Hostile(f"JSON to infer: {name}", request("POST", "/v2/models/m/infer", body))
    for path in ("/train", "/predict", "/v2/models/m/infer"):
        for name, body in _MORE_BODIES.items():
            yield Hostile(f"JSON to {path}: {name}", request("POST", path, body))
    for cell in (
        '"1.5"',
        "true",
        "null",
        "[1]",
    ):  # the model exists, so only the cells are invalid
        body = f'{{"model": "m", "X": [[{cell}, 2]]}}'.encode()
        yield Hostile(f"cell {cell} to predict", request("POST", "/predict", body), INVALID)
        rows = ",".join(f"[{cell}, {i}]" for i in range(8))
        body = f'{{"model": "n", "X": [{rows}], "y": [0, 1, 0, 1, 0, 1, 0, 1]}}'.encode()
        yield Hostile(f"cell {cell} to train", request("POST", "/train", body), INVALID)
    alias = "/models/m/aliases/production"
    for name, body in {
        "list": b"[1]",
        "text": b'{"version": "1"}',
        "huge": b'{"version": 1e30}',
    }.items():
        yield Hostile(f"alias: {name}", request("PUT", alias, body))


def _npy(shape: str, kind: str = "<f8", data: bytes = b"") -> bytes:
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + data


def _tables() -> Iterator[Hostile]:
    good = io.BytesIO()
    np.save(good, np.ones((2, 2)))
    objects = io.BytesIO()
    np.save(objects, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    bodies = {
        "application/x-npy": {
            "10 GB declared": _npy("(1250000000, 1)"),
            "negative shape": _npy("(-1, 2)", data=bytes(16)),
            "shape contains code": _npy("__import__('os').system('true')"),
            "objects": objects.getvalue(),
            "truncated": good.getvalue()[:-8],
            "three axes": _npy("(1, 1, 1)", data=bytes(8)),
            "text": _npy("(1, 2)", "<U8", bytes(64)),
            "NaN": _npy("(1, 2)", data=np.array([np.nan, 1.0]).tobytes()),
            "header of 60 kB": b"\x93NUMPY\x01\x00\xff\xff" + b" " * 65_535,
        },
        "application/octet-stream": {
            "number of bytes not divisible by 8": bytes(13),
            "not finite": np.array([np.inf, 1.0]).tobytes(),
            "empty": b"",
            "pickle": b"cos\nsystem\n(S'true'\ntR.",
        },
        "text/csv": {
            "unterminated quote": b'a,b\n"1,2\n',
            "NUL": b"a,b\n1,\x002\n",
            "million columns": b",".join([b"c"] * 1_000_000) + b"\n",
            "long cell": b"a,b\n" + b"9" * 1_000_000 + b",1\n",
            "formula": b"a,b\n=cmd|' /C calc'!A0,1\n",
            "empty": b"",
        },
        "application/vnd.apache.parquet": {
            "not parquet": b"PAR1" + bytes(100) + b"PAR1",
            "invalid footer length": b"PAR1" + b"\xff" * 8 + b"PAR1",
            "empty": b"",
        },
        "application/vnd.apache.arrow.stream": {
            "not arrow": b"\xff\xff\xff\xff" + b"\xff" * 64,
            "huge metadata": b"\xff\xff\xff\xff\xff\xff\xff\x7f" + bytes(64),
            "empty": b"",
        },
    }
    for kind, cases in bodies.items():
        for name, body in cases.items():
            raw = request("POST", "/predict?model=m", body, kind=kind)
            yield Hostile(f"{kind}: {name}", raw)
    for kind in ("application/x-pickle", "application/vnd.bentoml+pickle", "multipart/form-data"):
        for path in ("/train", "/predict", "/v2/models/m/infer"):
            raw = request("POST", path, b"cos\nsystem\n(S'true'\ntR.", kind=kind)
            yield Hostile(f"{kind} to {path}", raw)


def _tensors() -> Iterator[Hostile]:
    def tensor(**changes: object) -> bytes:
        given = {"name": "X", "shape": [1, 2], "datatype": "FP64", "data": [1, 2], **changes}
        return json.dumps({"inputs": [given]}).encode()

    bodies = {
        "shape too large": tensor(shape=[10**9, 10**9]),
        "negative shape": tensor(shape=[-1, 2]),
        "shape of text": tensor(shape=["1", 2]),
        "100 axes": tensor(shape=[1] * 100),
        "unknown type": tensor(datatype="FP1024"),
        "data of objects": tensor(data=[{"a": 1}, 2]),
        "too few data": tensor(data=[1]),
        "no inputs": b'{"inputs": []}',
        "10,000 inputs": json.dumps({"inputs": [{"name": "X"}] * 10_000}).encode(),
        "same name twice": json.dumps({"inputs": [json.loads(tensor())["inputs"][0]] * 2}).encode(),
        "unknown output": b'{"inputs": [], "outputs": [{"name": "nothing"}]}',
    }
    for name, body in bodies.items():
        yield Hostile(f"tensor: {name}", request("POST", "/v2/models/m/infer", body))
    binary = json.dumps(
        {
            "inputs": [
                {
                    "name": "X",
                    "shape": [1, 2],
                    "datatype": "FP64",
                    "parameters": {"binary_data_size": 16},
                }
            ]
        }
    ).encode()
    for name, length, tail in (
        ("length beyond the body", len(binary) + 10**6, bytes(16)),
        ("negative length", -5, bytes(16)),
        ("length of zero", 0, bytes(16)),
        ("too few bytes", len(binary), bytes(8)),
        ("too many bytes", len(binary), bytes(32)),
        ("incomplete JSON", len(binary) // 2, bytes(16)),
    ):
        headers = {"Inference-Header-Content-Length": str(length)}
        raw = request("POST", "/v2/models/m/infer", binary + tail, headers)
        yield Hostile(f"tensor: {name}", raw)
