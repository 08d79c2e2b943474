"""Cache of loaded models, and of the version that a name or alias stands for."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Collection
from concurrent.futures import Future

from app.pipeline.predict import Predictor
from app.store.registry import VersionRecord
from app.store.store import Store

#: Model name, version number and alias, as a request selects a model.
Target = tuple[str, int | None, str | None]

#: Number of targets that are cached. It is bounded because callers choose the names.
MAX_TARGETS = 10_000
#: Number of multiplications that take about 1 ms. Predictions with more of them run in a thread.
QUICK_WORK = 4_000_000
#: Number of rows whose response is written within a few milliseconds. Predictions of more rows run
#: in a thread.
QUICK_ROWS = 20_000


def is_quick(predictor: Predictor, n_rows: int) -> bool:
    """Whether predicting this number of rows is quick enough for the event loop."""
    return n_rows <= QUICK_ROWS and n_rows * predictor.work_per_row <= QUICK_WORK


class _Loaded:
    """A predictor, its size in bytes, and the logical time of its last use."""

    __slots__ = ("predictor", "size", "used")

    def __init__(self, predictor: Predictor, size: int, used: int) -> None:
        self.predictor = predictor
        self.size = size
        self.used = used


class ModelCache:
    """Maps (name, version, alias) to a version number and a predictor.

    Targets are cached until the generation of this machine changes (`app.store.generation`).
    Predictors are cached by the digest of their artifact, so they never become stale; the least
    recently used one is evicted first. If several callers need the same predictor, one of them
    loads it and the others wait.
    """

    def __init__(
        self, store: Store, max_models: int, max_bytes: int, observe: Callable[[str], None]
    ) -> None:
        self._store = store
        self._max_models = max_models
        self._max_bytes = max_bytes
        self._observe = observe
        self._generation = -1
        self._targets: dict[Target, tuple[tuple[int, Predictor], _Loaded]] = {}
        self._loaded: dict[str, _Loaded] = {}
        self._loading: dict[str, Future[_Loaded]] = {}
        self._clock = itertools.count()
        self._lock = threading.Lock()

    def ready(self, target: Target) -> tuple[int, Predictor] | None:
        """Return the cached version number and predictor, or None, without locks or file access."""
        if self._store.generation.current() != self._generation:
            return None
        known = self._targets.get(target)
        if known is None:
            return None
        answer, loaded = known
        loaded.used = next(self._clock)
        return answer

    def is_quick(self, target: Target, n_bytes: int) -> bool:
        """Whether the model is loaded and `is_quick` for an array of `n_bytes` bytes."""
        loaded = self.ready(target)
        if loaded is None:
            return False
        predictor = loaded[1]
        n_rows = n_bytes // (4 * predictor.n_columns)  # an estimate: a number has 1 to 8 bytes
        return is_quick(predictor, n_rows)

    def get(self, target: Target) -> tuple[int, Predictor]:
        """Return version number and predictor; load the predictor if it is not cached."""
        known = self.ready(target)
        if known is not None:
            return known
        # Read before the database, so that a change in between is noticed.
        generation = self._store.generation.current()
        record = self._store.registry.resolve(*target)
        loaded = self._predictor(record)
        answer = record.version, loaded.predictor
        with self._lock:
            if generation != self._generation:
                self._targets = {}
                self._generation = generation
            if len(self._targets) >= MAX_TARGETS:
                self._targets.clear()
            if self._loaded.get(record.predictor.sha256) is loaded:  # not evicted in the meantime
                self._targets[target] = answer, loaded
        return answer

    def size(self) -> tuple[int, int]:
        """Return the number of loaded predictors and their total size in bytes."""
        with self._lock:
            return len(self._loaded), sum(loaded.size for loaded in self._loaded.values())

    def _predictor(self, record: VersionRecord) -> _Loaded:
        key = record.predictor.sha256
        with self._lock:
            loaded = self._loaded.get(key)
            waiting = self._loading.get(key)
            if loaded is None and waiting is None:
                future = self._loading[key] = Future[_Loaded]()
        if loaded is None and waiting is None:
            return self._load(record, future)
        self._observe("hit")
        if loaded is None:
            assert waiting is not None
            return waiting.result()
        loaded.used = next(self._clock)
        return loaded

    def _load(self, record: VersionRecord, future: Future[_Loaded]) -> _Loaded:
        self._observe("miss")
        key = record.predictor.sha256
        try:
            predictor = Predictor(self._store.registry.load_predictor(record))
        except BaseException as error:
            with self._lock:
                del self._loading[key]
            future.set_exception(error)
            raise
        size = record.predictor.size + predictor.prepared_bytes
        loaded = _Loaded(predictor, size, next(self._clock))
        with self._lock:
            self._loaded[key] = loaded
            del self._loading[key]
            self._evict(keep=key)
        future.set_result(loaded)
        return loaded

    def _evict(self, keep: str) -> None:
        """Evict the least recently used predictors, but not `keep`, until the limits are met."""
        total = sum(loaded.size for loaded in self._loaded.values())
        while len(self._loaded) > 1 and (
            len(self._loaded) > self._max_models or total > self._max_bytes
        ):
            others = (key for key in self._loaded if key != keep)
            oldest = self._loaded.pop(min(others, key=lambda key: self._loaded[key].used))
            total -= oldest.size
            self._targets = {
                target: known for target, known in self._targets.items() if known[1] is not oldest
            }
            self._observe("evicted")

    def unload(self, model: str, digests: Collection[str]) -> None:
        """Remove the targets of a model and the predictors of these artifacts from the cache."""
        with self._lock:
            self._targets = {t: known for t, known in self._targets.items() if t[0] != model}
            for digest in digests:
                self._loaded.pop(digest, None)
