"""Database, files and secret of different stores are refused before any harm is done."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from app.errors import StoreUnavailable
from app.store.store import Store
from tests.app.store.test_store import make_version


def test_a_new_database_does_not_delete_the_files_of_another_store(
    store: Store, tmp_path: Path
) -> None:
    make_version(store)
    with pytest.raises(StoreUnavailable, match="this database is new"):
        Store(tmp_path / "store", f"sqlite:///{tmp_path}/typo.sqlite3")
    assert len(store.files.stored_artifacts()) == 2


def test_a_database_refuses_the_files_of_another_store(
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
    with pytest.raises(StoreUnavailable, match="There is no secret at"):
        Store(tmp_path / "other", database_url, secret_file=tmp_path / "none")


def test_an_interrupted_first_start_is_completed_by_the_next(
    tmp_path: Path, database_url: str
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "store-id").write_text("0123\n")
    with Store(home, database_url):
        assert (home / "store-id").read_text() == "0123\n"


def test_unmounted_artifacts_are_unavailable_not_damaged(store: Store, tmp_path: Path) -> None:
    make_version(store)
    record = store.registry.resolve("m")
    shutil.move(tmp_path / "store", tmp_path / "unmounted")
    with pytest.raises(StoreUnavailable):
        store.registry.load_predictor(record)
    with pytest.raises(StoreUnavailable):
        store.require_ready()
    with pytest.raises(StoreUnavailable):
        store.collect_garbage()
    shutil.move(tmp_path / "unmounted", tmp_path / "store")
    store.registry.load_predictor(record)
