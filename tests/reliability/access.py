"""F: credentials, how keys are compared, other sites, and what callers can put into the log."""

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
from tests.reliability.servers import a_server
from tests.reliability.wire import request, send


def guarded(run: Run) -> Server:
    """A server with one key for each scope."""
    entries = [f"{s.value}:{s.value}:{hash_key(key.encode())}" for s, key in KEYS.items()]
    return a_server(run.new_folder("home"), api_keys=",".join(entries))


@row("F1", "every route with eight bad credentials", full=240, quick=240)
def bad_credentials(run: Run) -> None:
    """401 in the same words, before anything is looked up."""
    with guarded(run) as server, server.client() as client:
        for method, path in routes(server):
            said: set[str] = set()
            for number, headers in enumerate(BAD):
                answer = client.request(method, path, headers=headers)
                found = []
                if answer.status_code != 401:
                    found.append(f"answered {answer.status_code}")
                elif answer.headers.get("www-authenticate") != "Bearer":
                    found.append("no challenge")
                else:
                    body = answer.json()
                    said.add(body["error" if path.startswith("/v2") else "detail"])
                run.case(found, f"{method} {path}, credential {number}")
            if len(said) > 2:  # no key, or one that is not known
                run.wrong(f"{method} {path} tells bad credentials apart: {said}")


@row("F2", "comparison of keys: every entry, in constant time", full=20_000, quick=2000)
def comparison_of_keys(run: Run) -> None:
    """By what is called, and by the clock: a key that begins right takes no longer."""
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
            run.wrong(f"{compare.call_count} of {len(entries)} entries were compared safely")
    # Other keys in another order every time: what comes first, and where it lies, makes some
    # nanoseconds, and a thing that takes turns can be told apart by them.
    chance = random.Random(run.seed)
    times: dict[str, list[int]] = {"near": [], "far": []}
    for _ in range(run.wanted):
        key, other = chance.choice(keys), bytes([chance.randrange(ord("g"), ord("z"))])
        wrong = {"near": key[:-1] + other, "far": other + key[1:]}
        for kind in chance.sample(["near", "far"], 2):
            began = time.perf_counter_ns()
            _identify(access, wrong[kind])
            times[kind].append(time.perf_counter_ns() - began)
        run.case()
    p = float(mannwhitneyu(times["near"], times["far"]).pvalue)
    gap = abs(float(np.median(times["near"]) - np.median(times["far"])))
    run.facts |= {"smallest p": p, "largest gap of medians in ns": gap}
    # A busy machine may shift one of two medians by a tick; an early exit shifts it by far more.
    if p < 0.01 and gap > 200:
        run.wrong(f"bad keys can be told apart by time: p = {p:.2g}, {gap:.0f} ns")


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


@row("F3", "other sites, and what callers put into the log", full=90, quick=90)
def sites_and_logs(run: Run) -> None:
    """No site is let in by default; every line of the log is one JSON object."""
    with a_server(run.new_folder("home")) as server:
        for origin in ORIGINS:
            asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
            found = _lets_in(send(server.port, request("GET", "/models", headers=asked)).head)
            found += _lets_in(send(server.port, request("OPTIONS", "/predict", headers=asked)).head)
            run.case(found, f"origin {origin}")
        for payload in PAYLOADS:
            for name, raw in _with_payload(payload).items():
                reply = send(server.port, raw)
                found = [f"answered {reply.status}"] if reply.status >= 500 else []
                if b"fake" in reply.head:
                    found.append("a header was made up")
                run.case(found, f"{name} {payload[:20]!r}")
    for line in server.log.read_text(errors="surrogateescape").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            run.wrong(f"a line of the log is not JSON: {line[:100]!r}")
            continue
        if not isinstance(entry, dict) or "level" not in entry or "fake" in entry:
            run.wrong(f"a line of the log was made up: {line[:100]!r}")


def _lets_in(head: bytes) -> list[str]:
    return ["lets another site read"] if b"access-control-allow-origin" in head.lower() else []


def _with_payload(payload: str) -> dict[str, bytes]:
    """The payload in the path, in the query, in the id of the request, and as a model."""
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
