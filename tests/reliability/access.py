"""F1, F2, F3: credentials, comparison of keys, other origins, and log injection."""

from __future__ import annotations

import contextlib
import hmac
import json
import random
import secrets
import time
from typing import Any
from unittest import mock

import numpy as np
from scipy.stats import mannwhitneyu

from app.errors import NotAuthenticated
from app.schemas.keys import KeyEntry, Scope, hash_key
from app.services.access import Access
from tests.app.api.test_access import BAD, KEYS, routes
from tests.app.server import Server
from tests.reliability.planted import plant_from_environment
from tests.reliability.programme import Run, row
from tests.reliability.servers import make_server
from tests.reliability.wire import request, send


def server_with_keys(run: Run) -> Server:
    """Server with one key for each scope."""
    entries = [f"{s.value}:{s.value}:{hash_key(key.encode())}" for s, key in KEYS.items()]
    return make_server(run.new_folder("home"), api_keys=",".join(entries))


@row("F1", "every route with eight invalid credentials", full=240, quick=240)
def bad_credentials(run: Run) -> None:
    """Every response is a 401 with the same text, before any lookup."""
    with server_with_keys(run) as server, server.client() as client:
        for method, path in routes(server):
            said: set[str] = set()
            for number, headers in enumerate(BAD):
                response = client.request(method, path, headers=headers)
                found = []
                if response.status_code != 401:
                    found.append(f"responds with {response.status_code}")
                elif response.headers.get("www-authenticate") != "Bearer":
                    found.append("no WWW-Authenticate challenge")
                else:
                    body = response.json()
                    said.add(body["error" if path.startswith("/v2") else "detail"])
                run.add_case(found, f"{method} {path}, credential {number}")
            if len(said) > 2:  # one text without a key, one with an unknown key
                run.add_violations(f"{method} {path} distinguishes invalid credentials: {said}")


@row("F2", "comparison of keys: every entry, in constant time", full=20_000, quick=2000)
def comparison_of_keys(run: Run) -> None:
    """Check the calls of `compare_digest`, and that a partly correct key takes no longer."""
    plant_from_environment()
    keys = [secrets.token_hex(16).encode() for _ in range(8)]
    scopes = frozenset(Scope)
    entries = [
        KeyEntry(name=f"k{i}", scopes=scopes, sha256=hash_key(key)) for i, key in enumerate(keys)
    ]
    access = Access(entries)
    for key in (keys[0], keys[-1], b"wrong", keys[0][:-1] + b"x"):
        with mock.patch("hmac.compare_digest", side_effect=hmac.compare_digest) as compare:
            _identify(access, key)
        if compare.call_count != len(entries):
            run.add_violations(
                f"{compare.call_count} of {len(entries)} entries were compared in constant time"
            )
    # Choose keys and their order at random each time: order and memory location change the time by
    # some nanoseconds, so a fixed alternation could be distinguished.
    chance = random.Random(run.seed)
    times: dict[str, list[int]] = {"near": [], "far": []}
    for _ in range(run.wanted):
        key, other = chance.choice(keys), bytes([chance.randrange(ord("g"), ord("z"))])
        wrong = {"near": key[:-1] + other, "far": other + key[1:]}
        for kind in chance.sample(["near", "far"], 2):
            began = time.perf_counter_ns()
            _identify(access, wrong[kind])
            times[kind].append(time.perf_counter_ns() - began)
        run.add_case()
    p = float(mannwhitneyu(times["near"], times["far"]).pvalue)
    gap = abs(float(np.median(times["near"]) - np.median(times["far"])))
    run.facts |= {"smallest p-value": p, "largest difference of medians in ns": gap}
    # A busy machine may shift a median by a clock tick; an early exit shifts it by much more.
    if p < 0.01 and gap > 200:
        run.add_violations(f"invalid keys can be distinguished by time: p = {p:.2g}, {gap:.0f} ns")


def _identify(access: Access, key: bytes) -> None:
    with contextlib.suppress(NotAuthenticated):
        access.identify(key)


ORIGINS = (
    *("http://evil.example", "https://evil.example", "null", "http://127.0.0.1.evil.example"),
    *("http://localhost", "http://127.0.0.1:1", "file://", "chrome-extension://abc"),
    *("http://[::1]", "http://evil.example:8000"),
)
PAYLOADS = (
    *(
        '{"level":"critical"}',
        '"}\n{"fake":1}',
        "a\\nb",
        "%0a%0dfake",
        "\t",
        "\x1b[31mred",
        "a" * 3000,
    ),
    *(
        "${jndi:ldap://x}",
        "<script>alert(1)</script>",
        "\u2028fake",
        "é",
        "\x85",
        "\x7f",
        '"',
        "\\",
    ),
    *("%00", "{}", "%s%s%n", "{0}", "' OR 1=1 --"),
)


@row("F3", "requests of other origins, and forged log entries", full=90, quick=90)
def sites_and_logs(run: Run) -> None:
    """By default no other origin is allowed; every line of the log is one JSON object."""
    with make_server(run.new_folder("home")) as server:
        for origin in ORIGINS:
            asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
            found = _lets_in(send(server.port, request("GET", "/models", headers=asked)).head)
            found += _lets_in(send(server.port, request("OPTIONS", "/predict", headers=asked)).head)
            run.add_case(found, f"origin {origin}")
        for payload in PAYLOADS:
            for name, raw in _with_payload(payload).items():
                reply = send(server.port, raw)
                found = [f"responds with {reply.status}"] if reply.status >= 500 else []
                if b"fake" in reply.head:
                    found.append("a response header was injected")
                run.add_case(found, f"{name} {payload[:20]!r}")
    for line in server.log.read_text(errors="surrogateescape").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            run.add_violations(f"log line is not JSON: {line[:100]!r}")
            continue
        if not isinstance(entry, dict) or "level" not in entry or "fake" in entry:
            run.add_violations(f"log line was forged: {line[:100]!r}")


def _lets_in(head: bytes) -> list[str]:
    return (
        ["allows another origin to read"] if b"access-control-allow-origin" in head.lower() else []
    )


def _with_payload(payload: str) -> dict[str, bytes]:
    """Requests with the payload in the path, the query, the request id and the model name."""
    plain = payload.encode("utf-8").replace(b"\n", b"%0a").replace(b" ", b"%20")
    body: dict[str, Any] = {"model": payload, "X": [[1, 2]]}
    get = request("GET", "@@")
    return {
        "path": get.replace(b"@@", b"/models/" + plain),
        "query": get.replace(b"@@", b"/models?limit=" + plain),
        "id": request("GET", "/models", headers={"X-Request-Id": "@@"}).replace(
            b"@@", payload.encode("utf-8").replace(b"\n", b" ")
        ),
        "body": request("POST", "/predict", json.dumps(body).encode()),
    }
