"""The model cache: one load for many callers, bounded, least recently used evicted first."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from app.errors import ArtifactDamaged, ModelNotFound
from app.services.loaded import ModelCache
from app.store.registry import VersionRecord
from app.store.store import Store
from tests.app.data import training
from tests.app.server import Server

N_MODELS = 4


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store with a few different models."""
    home = tmp_path_factory.mktemp("filled") / "home"
    with Server(home) as server, server.client() as client:
        for seed in range(N_MODELS):
            assert client.post("/train", json=training(f"m{seed}", seed=seed)).status_code == 201
    with Store(home, f"sqlite:///{home}/frtsvm.sqlite3") as store:
        yield store


def target(number: int) -> tuple[str, None, None]:
    return f"m{number}", None, None


class Events:
    """The events that a cache reports."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def count(self, event: str) -> int:
        return self.seen.count(event)


def cache_of(
    store: Store, max_models: int = 10, max_bytes: int = 10**9
) -> tuple[ModelCache, Events]:
    events = Events()
    return ModelCache(store, max_models, max_bytes, events.seen.append), events


@pytest.fixture
def slow_loads(filled: Store, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Make loading slow; return the list of loaded models."""
    load = filled.registry.load_predictor
    loaded: list[str] = []

    def slowly(record: VersionRecord) -> dict[str, Any]:
        loaded.append(record.model)
        time.sleep(0.2)
        return load(record)

    monkeypatch.setattr(filled.registry, "load_predictor", slowly)
    return loaded


def in_threads(n: int, work: Any) -> list[Any]:
    results: list[Any] = [None] * n

    def run(i: int) -> None:
        try:
            results[i] = work()
        except Exception as error:
            results[i] = error

    threads = [threading.Thread(target=run, args=(i,)) for i in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_many_callers_cause_one_load(filled: Store, slow_loads: list[str]) -> None:
    cache, events = cache_of(filled)
    found = in_threads(32, lambda: cache.get(target(0)))
    assert slow_loads == ["m0"]
    assert {version for version, _ in found} == {1}
    assert len({id(predictor) for _, predictor in found}) == 1
    assert events.count("miss") == 1
    assert cache.ready(target(0)) == found[0]


def test_a_failed_load_fails_for_all_waiting_callers_and_is_repeated(
    filled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, _ = cache_of(filled)
    load = filled.registry.load_predictor

    def fail(record: VersionRecord) -> dict[str, Any]:
        time.sleep(0.2)
        raise ArtifactDamaged("the file is missing")

    with monkeypatch.context() as patch:
        patch.setattr(filled.registry, "load_predictor", fail)
        found = in_threads(8, lambda: cache.get(target(1)))
        assert {type(error) for error in found} == {ArtifactDamaged}
    assert filled.registry.load_predictor == load
    assert cache.get(target(1))[0] == 1


def test_the_least_recently_used_is_evicted_and_a_cache_hit_counts_as_use(
    filled: Store,
) -> None:
    cache, events = cache_of(filled, max_models=2)
    cache.get(target(0))
    cache.get(target(1))
    assert cache.ready(target(0)) is not None  # used again, without a lock
    cache.get(target(2))
    assert events.count("evicted") == 1
    assert cache.ready(target(0)) is not None
    assert cache.ready(target(1)) is None  # targets of an evicted predictor are removed too
    assert cache.size()[0] == 2


def test_bytes_are_bounded_but_one_model_is_always_kept(filled: Store) -> None:
    cache, events = cache_of(filled, max_bytes=1)
    for number in range(N_MODELS):
        assert cache.get(target(number))[0] == 1
        assert cache.size()[0] == 1
    assert events.count("evicted") == N_MODELS - 1


def test_prepared_arrays_are_counted(filled: Store) -> None:
    cache, _ = cache_of(filled)
    _, predictor = cache.get(target(0))
    record = filled.registry.resolve("m0")
    assert predictor.prepared_bytes > 0
    assert cache.size() == (1, record.predictor.size + predictor.prepared_bytes)


def test_unknown_models_are_not_cached(filled: Store) -> None:
    cache, _ = cache_of(filled)
    with pytest.raises(ModelNotFound):
        cache.get(("nobody", None, None))
    assert cache.ready(("nobody", None, None)) is None


def test_a_change_of_the_store_is_seen_immediately(filled: Store) -> None:
    cache, _ = cache_of(filled)
    cache.get(target(3))
    filled.generation.advance()
    assert cache.ready(target(3)) is None
    assert cache.get(target(3))[0] == 1
