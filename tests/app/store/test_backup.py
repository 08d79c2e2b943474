"""Backup and restore."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from app.errors import StoreUnavailable
from app.schemas.jobs import JobState
from app.store import backup
from app.store.backup import back_up, restore
from app.store.secret import read_secret
from app.store.storage import artifact_name
from app.store.store import Store
from tests.app.store.test_store import claim, enqueue, make_version, publish


@pytest.fixture
def filled(store: Store) -> Store:
    """A store with two models, a moved alias, a deleted version and a queued job."""
    for value in (1.0, 2.0, 3.0):
        make_version(store, "alpha", value)
    make_version(store, "beta", 4.0)
    store.registry.move_alias("alpha", "production", 1)
    store.registry.move_alias("alpha", "production", 2)
    store.registry.delete_version("alpha", 3)
    enqueue(store, "beta")
    return store


@pytest.fixture
def copy(filled: Store, tmp_path: Path) -> Path:
    secret = read_secret(tmp_path / "store" / "secret.key")
    copied = back_up(filled, secret, tmp_path / "copy")
    assert (copied.versions, copied.jobs, copied.artifacts, copied.damaged) == (3, 5, 6, ())
    return tmp_path / "copy"


@pytest.fixture(params=["sqlite", "postgresql", "postgresql and s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    """Arguments of `restore` for an empty target, on each kind of database and storage."""
    home = tmp_path / "restored"
    place: dict[str, Any] = {"home": home, "url": f"sqlite:///{home}/frtsvm.sqlite3"}
    if request.param != "sqlite":
        place["url"] = request.getfixturevalue("postgres").new_database()
    place["artifacts"] = request.getfixturevalue("bucket") if "s3" in request.param else None
    return place


def facts(store: Store) -> Any:
    """Everything about a store that is visible to callers."""
    models, _ = store.registry.page_of_models(10, 0)
    versions = [store.registry.page_of_versions(model.name, 10, 0) for model in models]
    contents = [
        (
            store.registry.load_predictor(record)["w"].tobytes(),
            store.registry.load_evidence(record)["s"].tobytes(),
        )
        for records, _, _ in versions
        for record in records
    ]
    return models, versions, contents, store.jobs.page(None, 10, 0)


def test_a_restored_store_equals_the_original_on_every_backend(
    filled: Store, copy: Path, place: dict[str, Any]
) -> None:
    restore(copy, secret_file=None, **place)
    with Store(place["home"], place["url"], artifacts=place["artifacts"]) as restored:
        assert facts(restored) == facts(filled)
        restored.collect_garbage()
        assert len(restored.files.stored_artifacts()) == 6
        # Work continues where the original stopped.
        assert restored.registry.roll_back_alias("alpha", "production") == (1, 2)
        assert publish(restored, claim(restored)) == 2  # the queued job, of model beta
        assert make_version(restored, "alpha") == 4
        assert restored.jobs.page(None, 1, 0)[1] == 6


def test_a_backup_can_be_served_directly(filled: Store, copy: Path) -> None:
    with Store(copy, f"sqlite:///{copy}/frtsvm.sqlite3") as served:
        assert facts(served) == facts(filled)
    assert (copy / "secret.key").stat().st_mode & 0o777 == 0o600
    assert copy.stat().st_mode & 0o777 == 0o700


def test_artifacts_of_a_backup_are_not_removed_while_it_is_taken(
    filled: Store, tmp_path: Path
) -> None:
    record = filled.registry.resolve("beta")
    name = artifact_name(record.predictor.sha256)
    with backup._snapshot(filled, tmp_path / "snapshot.sqlite3"):
        filled.registry.delete_model("beta")
        filled.collect_garbage()
        assert filled.files.storage.size(name) == record.predictor.size
    filled.collect_garbage()
    assert filled.files.storage.size(name) is None


def test_a_job_that_ends_during_a_backup_is_marked_interrupted_in_it(
    filled: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = filled.jobs.page(JobState.QUEUED, 1, 0)[0][0].id
    copy_files = backup.copy_files

    def end_it_first(*args: Any) -> Any:
        filled.jobs.request_cancel(waiting)
        return copy_files(*args)

    monkeypatch.setattr(backup, "copy_files", end_it_first)
    secret = read_secret(tmp_path / "store" / "secret.key")
    back_up(filled, secret, tmp_path / "copy")
    with Store(tmp_path / "copy", f"sqlite:///{tmp_path}/copy/frtsvm.sqlite3") as copied:
        error = copied.jobs.get(waiting).error
    assert error is not None
    assert error["code"] == "interrupted"


def test_damaged_artifacts_are_reported_and_the_rest_is_copied(
    filled: Store, tmp_path: Path
) -> None:
    bad = filled.registry.resolve("beta").predictor.sha256
    (tmp_path / "store" / artifact_name(bad)).write_bytes(b"rotten")
    secret = read_secret(tmp_path / "store" / "secret.key")
    copied = back_up(filled, secret, tmp_path / "copy")
    assert copied.damaged == (bad,)
    assert copied.artifacts == 5


def test_a_failed_backup_leaves_nothing(
    filled: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backup, "copy_files", full)
    with pytest.raises(Exception, match="No space is left"):
        back_up(filled, b"0" * 32, tmp_path / "copy")
    assert [path.name for path in tmp_path.iterdir() if "copy" in path.name] == []
    with pytest.raises(StoreUnavailable, match="exists already"):
        back_up(filled, b"0" * 32, tmp_path)


@pytest.fixture
def empty(tmp_path: Path) -> dict[str, Any]:
    """Arguments of `restore` for an empty target with SQLite."""
    home = tmp_path / "restored"
    return {
        "home": home,
        "url": f"sqlite:///{home}/frtsvm.sqlite3",
        "artifacts": None,
        "secret_file": None,
    }


def test_restoring_does_not_overwrite(
    copy: Path, empty: dict[str, Any], tmp_path: Path, database_url: str
) -> None:
    with pytest.raises(StoreUnavailable, match=r"exists already|not empty"):
        restore(copy, **{**empty, "url": database_url})
    shutil.copytree(copy / "artifacts", tmp_path / "restored" / "artifacts")
    with pytest.raises(StoreUnavailable, match="has artifacts of another store"):
        restore(copy, **empty)
    shutil.rmtree(tmp_path / "restored")
    with pytest.raises(StoreUnavailable, match="is not a backup"):
        restore(tmp_path, **empty)
    other = tmp_path / "other.key"
    other.write_text("ab" * 32)
    with pytest.raises(StoreUnavailable, match="not the secret of the backup"):
        restore(copy, **{**empty, "secret_file": other})
    (copy / "secret.key").unlink()
    (copy / "secret.key").write_text("ab" * 32)
    with pytest.raises(StoreUnavailable, match="does not belong to its database"):
        restore(copy, **empty)


def test_an_interrupted_restore_can_be_repeated(
    copy: Path, filled: Store, empty: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(*_: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(backup, "_copy_database", cut)
        with pytest.raises(StoreUnavailable):
            restore(copy, **empty)
    restore(copy, **empty)
    with Store(empty["home"], empty["url"]) as restored:
        assert facts(restored) == facts(filled)
        assert claim(restored).model == "beta"


def test_a_backup_without_store_id_can_be_restored(tmp_path: Path, empty: dict[str, Any]) -> None:
    old = tmp_path / "old"
    (old / "artifacts").mkdir(parents=True)
    schema = Path(__file__).with_name("schema_1.sql").read_text(encoding="utf-8")
    with closing(sqlite3.connect(old / "frtsvm.sqlite3")) as connection:
        connection.executescript(schema)
    (old / "secret.key").write_bytes(b"s" * 32)
    assert len(restore(old, **empty).damaged) == 6  # that backup has no artifact files
    with Store(empty["home"], empty["url"]) as restored:
        assert restored.registry.resolve("alpha").version == 2
