"""API keys over HTTP. `tests.reliability.access` tests every route with many bad credentials."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from app.api.deps import require_scope
from app.errors import NotPermitted
from app.schemas.keys import Scope, hash_key
from tests.app.data import training
from tests.app.server import Server

KEYS = {scope: f"key-of-{scope.value}-0123456789" for scope in Scope}
OPEN = {"/healthz", "/readyz", "/readyz/predictions", "/v2/health/live", "/v2/health/ready"}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with one key for each scope."""
    entries = [f"{s.value}:{s.value}:{hash_key(key.encode())}" for s, key in KEYS.items()]
    home = tmp_path_factory.mktemp("guarded") / "home"
    with Server(home, api_keys=",".join(entries)) as server:
        yield server


def bearer(scope: Scope) -> dict[str, str]:
    return {"authorization": f"Bearer {KEYS[scope]}"}


def routes(server: Server) -> list[tuple[str, str]]:
    document: dict[str, Any] = httpx.get(f"{server.url}/openapi.json").json()
    return [
        (method.upper(), path.format(name="m", version=1, alias="a", job="0" * 32, plot="mu"))
        for path, methods in document["paths"].items()
        for method in methods
        if path not in OPEN
    ]


BAD: list[dict[str, str] | list[tuple[bytes, bytes]]] = [
    {},
    {"authorization": "Bearer wrong"},
    {"authorization": "Bearer"},
    {"authorization": KEYS[Scope.ADMIN]},
    {"authorization": f"Basic {KEYS[Scope.ADMIN]}"},
    {"x-api-key": hash_key(KEYS[Scope.ADMIN].encode())},
    {"x-api-key": KEYS[Scope.ADMIN][:-1]},
    [(b"authorization", b"Bearer \xff\xfe\xe9")],
]


def test_health_needs_no_key(guarded: Server) -> None:
    with guarded.client() as client:
        assert {client.get(path).status_code for path in OPEN} == {200}


def test_scopes(guarded: Server) -> None:
    with guarded.client() as client:
        train = training("scoped")
        ask = {"model": "scoped", "X": [[0, 0]]}
        refused = client.post("/train", json=train, headers=bearer(Scope.PREDICT))
        assert refused.status_code == 403
        assert refused.json()["type"] == "urn:frtsvm:problem:not-permitted"
        assert client.post("/train", json=train, headers=bearer(Scope.TRAIN)).status_code == 201
        for scope in Scope:
            expected = 403 if scope is Scope.METRICS else 200
            assert client.post("/predict", json=ask, headers=bearer(scope)).status_code == expected
            assert client.get("/metrics", headers=bearer(scope)).status_code == 200
        path = "/models/scoped"
        assert client.delete(path, headers=bearer(Scope.TRAIN)).status_code == 403
        by_header = {"x-api-key": KEYS[Scope.ADMIN]}
        assert client.delete(path, headers=by_header).status_code == 204


def test_the_key_is_checked_before_the_body(guarded: Server) -> None:
    with guarded.client() as client:
        answer = client.post("/train", content=b"{", headers={"content-type": "text/csv"})
        assert answer.status_code == 401


class _Request:
    """The attributes of a request that `require_scope` uses."""

    def __init__(self, container: object, address: str, **headers: str) -> None:
        self.app = type("App", (), {"state": type("State", (), {"container": container})})
        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        self.scope = {"server": (address, 80), "headers": raw}


def test_without_keys_only_loopback_is_served(container: Any) -> None:
    here: Any = _Request(container, "127.0.0.1")
    assert require_scope(here, Scope.ADMIN).name == "anyone"
    there: Any = _Request(container, "10.0.0.7")
    with pytest.raises(NotPermitted):
        require_scope(there, Scope.PREDICT)


@pytest.mark.parametrize(
    ("headers", "served"),
    [
        ({"host": "localhost:8000"}, True),
        ({"host": "[::1]:8000"}, True),
        ({"host": "127.0.0.1:8000", "origin": "http://127.0.0.1:8000"}, True),
        ({"host": "127.0.0.1:8000", "origin": "http://evil.example"}, False),
        ({"host": "127.0.0.1:8000", "origin": "null"}, False),
        ({"host": "evil.example:8000", "origin": "http://evil.example:8000"}, False),
        ({"host": "evil.example"}, False),
        ({"host": "[127.0.0.1"}, False),
    ],
)
def test_without_keys_pages_of_other_sites_are_refused(
    container: Any, headers: dict[str, str], served: bool
) -> None:
    request: Any = _Request(container, "127.0.0.1", **headers)
    if served:
        require_scope(request, Scope.TRAIN)
    else:
        with pytest.raises(NotPermitted):
            require_scope(request, Scope.TRAIN)
