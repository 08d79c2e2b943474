"""Behavior that every kind of storage must have."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import StoreUnavailable
from app.store.cache import LocalCache
from app.store.folder import Folder
from app.store.remote import Remote
from app.store.storage import Storage, folder_of, open_storage
from tests.app.objectstore import ObjectStorage

NAME = "artifacts/one.joblib"


@pytest.fixture(params=["home", "folder", "file", "s3"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    home = tmp_path / "home"
    if request.param == "s3":
        return open_storage(request.getfixturevalue("bucket"), home, 1000)
    locations = {
        "home": None,
        "folder": str(tmp_path / "share"),
        "file": f"file://{tmp_path}/a%20b",
    }
    return open_storage(locations[request.param], home, 1000)


def staged(storage: Storage, contents: bytes) -> tuple[Path, str]:
    path = storage.staging / "me.1"
    path.write_bytes(contents)
    return path, hashlib.sha256(contents).hexdigest()


def put(storage: Storage, name: str, contents: bytes) -> None:
    path, sha256 = staged(storage, contents)
    storage.put(path, name, sha256)


def test_an_object_can_be_read_after_put(storage: Storage) -> None:
    assert storage.size(NAME) is None
    assert storage.names("artifacts") == []
    put(storage, NAME, b"contents")
    assert storage.size(NAME) == 8
    assert storage.names("artifacts") == [NAME]
    assert storage.names("spool") == []
    assert storage.local(NAME, "me").read_bytes() == b"contents"
    assert storage.fetch(NAME, storage.staging / "me.2").read_bytes() == b"contents"


def test_putting_the_same_object_again_changes_nothing(storage: Storage) -> None:
    put(storage, NAME, b"contents")
    put(storage, NAME, b"contents")
    assert storage.names("artifacts") == [NAME]
    assert storage.local(NAME, "me").read_bytes() == b"contents"


def test_put_can_be_repeated_after_its_source_was_moved(storage: Storage) -> None:
    path, sha256 = staged(storage, b"contents")
    storage.put(path, NAME, sha256)
    storage.put(path, NAME, sha256)
    assert storage.size(NAME) == 8


def test_missing_objects_cannot_be_read_and_deleting_them_is_no_error(storage: Storage) -> None:
    assert not storage.local(NAME, "me").exists()
    assert not storage.fetch(NAME, storage.staging / "me.2").exists()
    storage.delete([NAME, "spool/none.joblib"])


def test_a_deleted_object_cannot_be_read(storage: Storage) -> None:
    put(storage, NAME, b"contents")
    put(storage, "spool/j.joblib", b"data")
    storage.local(NAME, "me")
    storage.delete([NAME])
    assert storage.size(NAME) is None
    assert not storage.local(NAME, "me").exists()
    assert storage.names("spool") == ["spool/j.joblib"]


def test_the_store_id_is_persistent(storage: Storage) -> None:
    assert storage.read_store_id() is None
    storage.write_store_id("one")
    storage.write_store_id("two")
    assert storage.read_store_id() == "two"
    assert storage.names("artifacts") == []


def test_no_temporary_files_remain(storage: Storage) -> None:
    put(storage, NAME, b"contents")
    storage.local(NAME, "me")
    storage.forget_local(NAME)
    storage.local(NAME, "me")
    (storage.staging / "me.1").unlink(missing_ok=True)
    assert list(storage.staging.iterdir()) == []


def test_locations(tmp_path: Path) -> None:
    assert folder_of("/mnt/share") == Path("/mnt/share")
    assert folder_of("file:///mnt/a%20b") == Path("/mnt/a b")
    assert folder_of("s3://bucket/prefix") is None
    with pytest.raises(StoreUnavailable, match="FRTSVM_ARTIFACTS"):
        open_storage("nonsense://bucket", tmp_path, 1)


def test_a_missing_package_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(StoreUnavailable, match=r"frtsvm-service\[scale\]"):
        open_storage("s3://bucket", tmp_path, 1)


def test_a_folder_detects_a_missing_source_with_a_different_target(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    (tmp_path / NAME).write_bytes(b"something else")
    with pytest.raises(FileNotFoundError):
        folder.put(tmp_path / "tmp" / "gone", NAME, "0" * 64)


def test_put_detects_a_storage_that_stores_other_data(bucket: str, tmp_path: Path) -> None:
    remote = Remote(bucket, tmp_path, 1000)
    path, _ = staged(remote, b"contents")
    with pytest.raises(StoreUnavailable, match="returned data that differ from the upload"):
        remote.put(path, NAME, hashlib.sha256(b"other contents").hexdigest())


def test_the_cache_is_bounded_and_evicts_the_least_recently_used(tmp_path: Path) -> None:
    cache = LocalCache(tmp_path / "cache", max_bytes=25)
    for name in ("a", "b", "c"):
        time.sleep(0.02)  # file systems update timestamps only some hundred times per second
        if name == "c":
            assert cache.find("a") is not None  # used again: `b` is the oldest now
            time.sleep(0.02)
        source = tmp_path / "source"
        source.write_bytes(b"0123456789")
        cache.add(source, name)
    assert cache.find("b") is None
    assert cache.find("a") is not None
    assert cache.find("c") is not None
    big = tmp_path / "big"
    big.write_bytes(b"0" * 100)
    assert cache.add(big, "big").exists()  # the newest file stays, whatever its size
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["big"]


@pytest.fixture
def own_storage(monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStorage]:
    with ObjectStorage() as own:
        for name, value in own.environment.items():
            monkeypatch.setenv(name, value)
        yield own


def test_an_unreachable_storage_is_unavailable_until_it_returns(
    own_storage: ObjectStorage, tmp_path: Path
) -> None:
    remote = Remote(own_storage.new_bucket(), tmp_path, 1000)
    put(remote, NAME, b"contents")
    path, sha256 = staged(remote, b"more")
    own_storage.stop()
    for request in (
        lambda: remote.put(path, "artifacts/two.joblib", sha256),
        lambda: remote.local(NAME, "me"),
        lambda: remote.size(NAME),
        lambda: remote.names("artifacts"),
        lambda: remote.delete([NAME]),
        remote.read_store_id,
    ):
        with pytest.raises(StoreUnavailable):
            request()
    own_storage.start()
    assert remote.local(NAME, "me").read_bytes() == b"contents"
