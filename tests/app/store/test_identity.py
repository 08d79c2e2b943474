"""Parts that do not belong together are refused before they can do harm."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from app.errors import StoreUnavailable
from app.store.store import Store
from tests.app.store.test_store import make_version


def test_a_new_database_does_not_sweep_the_files_of_another(store: Store, tmp_path: Path) -> None:
    make_version(store)
    with pytest.raises(StoreUnavailable, match="this database is new"):
        Store(tmp_path / "store", f"sqlite:///{tmp_path}/typo.sqlite3")
    assert len(store.files.stored_artifacts()) == 2


def test_a_database_refuses_files_that_are_not_its_own(
    store: Store, tmp_path: Path, database_url: str
) -> None:
    secret = tmp_path / "store" / "secret.key"
    with pytest.raises(StoreUnavailable, match="FRTSVM_ARTIFACTS"):
        Store(tmp_path / "other", database_url, secret_file=secret)


def test_another_secret_is_refused(store: Store, tmp_path: Path, database_url: str) -> None:
    shared = str(tmp_path / "store")
    with pytest.raises(StoreUnavailable, match="FRTSVM_SECRET_FILE"):
        Store(tmp_path / "other", database_url, artifacts=shared)
    text = tmp_path / "secret.txt"
    text.write_text((tmp_path / "store" / "secret.key").read_bytes().hex() + "\n")
    with Store(tmp_path / "other", database_url, artifacts=shared, secret_file=text):
        pass
    with pytest.raises(StoreUnavailable, match="no secret at"):
        Store(tmp_path / "other", database_url, secret_file=tmp_path / "none")


def test_a_first_start_that_was_cut_short_is_finished(tmp_path: Path, database_url: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "store-id").write_text("0123\n")
    with Store(home, database_url):
        assert (home / "store-id").read_text() == "0123\n"


def test_files_that_went_away_are_unavailable_not_damaged(store: Store, tmp_path: Path) -> None:
    make_version(store)
    record = store.registry.resolve("m")
    shutil.move(tmp_path / "store", tmp_path / "unmounted")
    with pytest.raises(StoreUnavailable):
        store.registry.load_predictor(record)
    with pytest.raises(StoreUnavailable):
        store.require_ready()
    with pytest.raises(StoreUnavailable):
        store.sweep()
    shutil.move(tmp_path / "unmounted", tmp_path / "store")
    store.registry.load_predictor(record)
