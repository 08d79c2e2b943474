"""Settings: sources, validation, documentation."""

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


def test_the_environment_is_read_when_settings_are_created(
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


def test_the_database_can_be_set() -> None:
    url = "postgresql+psycopg://db/frtsvm"
    assert Settings(database_url=url).url == url


def test_the_environment_takes_precedence_over_secret_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("app.settings.SECRETS", tmp_path)
    (tmp_path / "frtsvm_database_url").write_text("postgresql://frtsvm:pw@db/frtsvm\n")
    (tmp_path / "frtsvm_queue_size").write_text("7")
    monkeypatch.delenv("FRTSVM_DATABASE_URL", raising=False)
    monkeypatch.setenv("FRTSVM_QUEUE_SIZE", "9")
    (tmp_path / "frtsvm_api_keys").write_text(f"a:predict:{hash_key(b'1')}\n")
    monkeypatch.setenv("FRTSVM_API_KEYS", "")  # as Compose passes on an unset variable
    settings = Settings()
    assert settings.url == "postgresql://frtsvm:pw@db/frtsvm"
    assert settings.queue_size == 9
    assert [key.name for key in settings.api_keys] == ["a"]


def test_the_address_of_a_scheduler_has_a_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings(dask_scheduler="tls://s:8786").dask_scheduler == "tls://s:8786"
    with pytest.raises(ValueError, match="tcp://"):
        Settings(dask_scheduler="s:8786")
