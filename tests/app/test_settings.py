"""Settings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.schemas.keys import hash_key
from app.settings import Settings

OPERATIONS = Path(__file__).parents[2] / "docs" / "operations.md"


def test_every_setting_is_listed_in_the_operations_guide() -> None:
    listed = set(re.findall(r"`FRTSVM_([A-Z_]+)`", OPERATIONS.read_text(encoding="utf-8")))
    assert {name.upper() for name in Settings.model_fields} == listed


def test_the_environment_is_read_when_asked_and_not_before(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FRTSVM_HOME", str(tmp_path))
    monkeypatch.setenv("FRTSVM_QUEUE_SIZE", "7")
    one, two = hash_key(b"1"), hash_key(b"2")
    monkeypatch.setenv("FRTSVM_API_KEYS", f"a:predict:{one}, b:train+admin:{two}")
    settings = Settings()
    assert settings.queue_size == 7
    assert [key.name for key in settings.api_keys] == ["a", "b"]
    assert settings.url == f"sqlite:///{tmp_path}/frtsvm.sqlite3"


def test_another_database_can_be_named() -> None:
    url = "postgresql+psycopg://db/frtsvm"
    assert Settings(database_url=url).url == url
