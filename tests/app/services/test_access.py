"""API keys and scopes."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from app.errors import NotAuthenticated, NotPermitted
from app.schemas.keys import KeyEntry, Scope, hash_key
from app.services.access import Access
from app.settings import Settings


def entry(scopes: str = "predict", key: bytes = b"secret") -> KeyEntry:
    return KeyEntry.parse(f"name:{scopes}:{hash_key(key)}")


def test_scopes_include_the_lesser_ones() -> None:
    assert entry("metrics").scopes == {Scope.METRICS}
    assert entry("predict").scopes == {Scope.METRICS, Scope.PREDICT}
    assert entry("train").scopes == {Scope.METRICS, Scope.PREDICT, Scope.TRAIN}
    assert entry("admin").scopes == set(Scope)


def test_keys_need_not_be_valid_text() -> None:
    access = Access([entry(key=b"\xff\xfe")])
    assert access.identify(b"\xff\xfe").name == "name"
    with pytest.raises(NotAuthenticated):
        access.identify(b"\xff")


def test_a_key_without_the_scope_is_refused() -> None:
    access = Access([entry("predict")])
    access.require(b"secret", Scope.PREDICT)
    with pytest.raises(NotPermitted):
        access.require(b"secret", Scope.TRAIN)


@pytest.mark.parametrize("key", [None, b"", b"other", hash_key(b"secret").encode()])
def test_unknown_keys_are_refused(key: bytes | None) -> None:
    with pytest.raises(NotAuthenticated):
        Access([entry()]).identify(key)


@pytest.mark.parametrize(
    "text", ["name", "name:predict:abc", ":predict:" + "0" * 64, "a:root:" + "0" * 64]
)
def test_invalid_entries_are_refused_at_the_start(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FRTSVM_API_KEYS", text)
    with pytest.raises((ValidationError, ValueError)):
        Settings()


def test_an_unknown_scope_is_named() -> None:
    with pytest.raises(ValueError, match=r"unknown scope 'write'.*metrics, predict, train, admin"):
        entry("predict+write")
