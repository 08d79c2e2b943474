"""Stores with artifacts in an object storage: uploads are safe from garbage collection."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import text

from app.errors import ArtifactDamaged, ModelNotFound, StoreUnavailable
from app.store.files import Staged
from app.store.remote import Remote
from app.store.storage import artifact_name
from app.store.store import Store
from tests.app.store.test_store import claim, enqueue, make_version, publish


@pytest.fixture
def remote_store(tmp_path: Path, database_url: str, bucket: str) -> Iterator[Store]:
    with Store(tmp_path / "here", database_url, artifacts=bucket) as store:
        yield store


@pytest.fixture
def other_store(
    tmp_path: Path, database_url: str, bucket: str, remote_store: Store
) -> Iterator[Store]:
    """The same store opened by another process; with PostgreSQL, by another machine."""
    home = tmp_path / ("here" if remote_store.database.is_sqlite else "elsewhere")
    secret = tmp_path / "here" / "secret.key"
    with Store(home, database_url, artifacts=bucket, secret_file=secret) as store:
        yield store


def pending(store: Store) -> int:
    with store.database.read() as connection:
        return int(connection.execute(text("SELECT count(*) FROM uploads")).scalar_one())


def test_another_machine_can_read_a_version(remote_store: Store, other_store: Store) -> None:
    make_version(remote_store)
    record = other_store.registry.resolve("m")
    assert other_store.registry.load_predictor(record)["w"][0] == 1.0
    assert other_store.registry.looks_whole(record)
    assert other_store.registry.load_evidence(record)["s"].tolist() == [1.0, 2.0]
    assert remote_store.files.stored_spools() == []
    assert pending(remote_store) == 0


def test_another_machine_can_read_the_training_data_of_a_job(
    remote_store: Store, other_store: Store
) -> None:
    job = enqueue(remote_store)
    claimed = claim(other_store)
    path = other_store.files.checked_spool(job.id, claimed.spool)
    assert path.name == f"{other_store.presence.id}.{job.id}.data"
    assert path.stat().st_size == claimed.spool.size
    other_store.files.drop_temporaries_of(f"{other_store.presence.id}.{job.id}")
    assert not path.exists()


def test_garbage_collection_keeps_files_that_another_machine_is_uploading(
    remote_store: Store, other_store: Store
) -> None:
    make_version(remote_store)
    enqueue(remote_store)
    staged = remote_store.files.stage({"w": np.array([7.0])})
    name = artifact_name(staged.sha256)
    with remote_store.uploads.uploading({name: staged}):
        other_store.collect_garbage()
        assert remote_store.files.storage.size(name) == staged.size
    # The upload was not recorded, so its file is now garbage.
    other_store.collect_garbage()
    assert remote_store.files.storage.size(name) is None
    assert len(other_store.files.stored_artifacts()) == 2
    assert len(other_store.files.stored_spools()) == 1


def test_a_process_declared_dead_during_an_upload_records_nothing_and_can_retry(
    remote_store: Store, other_store: Store
) -> None:
    enqueue(remote_store)
    job = claim(remote_store)
    predictor = remote_store.files.stage({"w": np.array([1.0])})
    evidence = remote_store.files.stage({"s": np.array([1.0, 2.0])})
    put = Remote.put

    def slow_put(self: Remote, source: Path, name: str, sha256: str) -> None:
        put(self, source, name, sha256)
        other_store.uploads.forget(remote_store.presence.id)
        other_store.collect_garbage()

    def attempt() -> int | None:
        return remote_store.jobs.publish(job.id, job.fence, predictor, evidence, {}, {})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Remote, "put", slow_put)
        with pytest.raises(StoreUnavailable, match="without a heartbeat"):
            attempt()
    with pytest.raises(ModelNotFound):
        other_store.registry.resolve("m")
    assert attempt() == 1
    assert other_store.registry.load_predictor(other_store.registry.resolve("m"))["w"][0] == 1.0


def test_announced_uploads_of_dead_processes_are_withdrawn(remote_store: Store) -> None:
    with remote_store.database.write() as connection:
        connection.execute(text("INSERT INTO uploads VALUES ('t', 'artifacts/x', 'dead')"))
    (remote_store.files.temporary.parent / "processes" / "dead.lock").touch()
    remote_store.clean_up_after_dead_processes()
    assert pending(remote_store) == 0


def test_a_damaged_local_copy_is_replaced_and_a_damaged_original_is_refused(
    remote_store: Store, tmp_path: Path
) -> None:
    make_version(remote_store)
    record = remote_store.registry.resolve("m")
    remote_store.registry.load_predictor(record)
    name = artifact_name(record.predictor.sha256)
    copy = tmp_path / "here" / "cache" / f"{record.predictor.sha256}.joblib"
    contents = copy.read_bytes()
    copy.write_bytes(contents[:-1] + b"x")
    assert remote_store.registry.load_predictor(record)["w"][0] == 1.0
    assert copy.read_bytes() == contents
    bad = tmp_path / "bad"
    bad.write_bytes(b"not what was written")
    storage: Any = remote_store.files.storage
    storage._files.put_file(str(bad), storage._path(name))
    storage.forget_local(name)
    with pytest.raises(ArtifactDamaged):
        remote_store.registry.load_predictor(record)


def test_a_failing_storage_leaves_no_incomplete_version(
    remote_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    enqueue(remote_store)
    job = claim(remote_store)
    put = Remote.put
    uploads: list[str] = []

    def fail_at_second_upload(self: Remote, source: Path, name: str, sha256: str) -> None:
        uploads.append(name)
        if len(uploads) == 2:
            raise StoreUnavailable("away")
        put(self, source, name, sha256)

    monkeypatch.setattr(Remote, "put", fail_at_second_upload)
    with pytest.raises(StoreUnavailable):
        publish(remote_store, job)
    with pytest.raises(ModelNotFound):
        remote_store.registry.resolve("m")
    assert pending(remote_store) == 0
    remote_store.collect_garbage()
    assert remote_store.files.stored_artifacts() == []
    assert publish(remote_store, job) == 1


def test_publishing_can_be_retried_after_rename_if_the_transaction_failed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    enqueue(store)
    job = claim(store)
    predictor: Staged = store.files.stage({"w": np.array([1.0])})
    evidence = store.files.stage({"s": np.array([1.0, 2.0])})

    def lost(*_: object) -> None:
        raise StoreUnavailable("the connection was lost")

    with monkeypatch.context() as patch:
        patch.setattr("app.store.jobs.insert_version", lost)
        with pytest.raises(StoreUnavailable):
            store.jobs.publish(job.id, job.fence, predictor, evidence, {}, {})
    assert store.jobs.publish(job.id, job.fence, predictor, evidence, {}, {}) == 1
    assert store.registry.load_predictor(store.registry.resolve("m"))["w"][0] == 1.0
