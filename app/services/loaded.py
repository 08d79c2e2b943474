"""Loaded models, and which version a name means, as fresh as the latest change."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection

from app.pipeline.predict import Predictor
from app.store.registry import VersionRecord
from app.store.store import Store

Target = tuple[str, int | None, str | None]

#: Names that callers ask for are theirs to choose; do not remember all of them.
MAX_TARGETS = 10_000


class ModelCache:
    """(name, version, alias) -> version number and predictor.

    What a target means is remembered until the generation of the store moves. Predictors are kept
    by the digest of their artifact, which never changes its meaning, least recently used out first.
    """

    def __init__(
        self, store: Store, max_models: int, max_bytes: int, observe: Callable[[str], None]
    ) -> None:
        self._store = store
        self._max_models = max_models
        self._max_bytes = max_bytes
        self._observe = observe
        self._generation = -1
        self._targets: dict[Target, tuple[int, Predictor]] = {}
        self._loaded: OrderedDict[str, tuple[Predictor, int]] = OrderedDict()
        self._lock = threading.Lock()

    def ready(self, target: Target) -> tuple[int, Predictor] | None:
        """The answer if it is known already: no lock, no disk, no waiting."""
        if self._store.generation.current() != self._generation:
            return None
        return self._targets.get(target)

    def get(self, target: Target) -> tuple[int, Predictor]:
        """The answer, looked up and loaded if need be."""
        known = self.ready(target)
        if known is not None:
            return known
        generation = self._store.generation.current()  # before the database is read
        record = self._store.registry.resolve(*target)
        answer = record.version, self._predictor(record)
        with self._lock:
            if generation != self._generation:
                self._targets = {}
                self._generation = generation
            if len(self._targets) >= MAX_TARGETS:
                self._targets.clear()
            self._targets[target] = answer
        return answer

    def size(self) -> tuple[int, int]:
        """Number of loaded predictors, and their bytes."""
        with self._lock:
            return len(self._loaded), sum(size for _, size in self._loaded.values())

    def _predictor(self, record: VersionRecord) -> Predictor:
        key = record.predictor.sha256
        with self._lock:
            if key in self._loaded:
                self._loaded.move_to_end(key)
                self._observe("hit")
                return self._loaded[key][0]
        self._observe("miss")
        predictor = Predictor(self._store.registry.load_predictor(record))
        with self._lock:
            self._loaded[key] = predictor, record.predictor.size
            self._evict()
        return predictor

    def _evict(self) -> None:
        total = sum(size for _, size in self._loaded.values())
        while len(self._loaded) > 1 and (
            len(self._loaded) > self._max_models or total > self._max_bytes
        ):
            _, (_, size) = self._loaded.popitem(last=False)
            total -= size
            self._observe("evicted")

    def unload(self, model: str, digests: Collection[str]) -> None:
        """Forget what the name means and the predictors of these artifacts; asking loads anew."""
        with self._lock:
            self._targets = {t: known for t, known in self._targets.items() if t[0] != model}
            for digest in digests:
                self._loaded.pop(digest, None)
