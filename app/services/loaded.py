"""Loaded models, and which version a name means, as fresh as the latest change."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Collection
from concurrent.futures import Future

from app.pipeline.predict import Predictor
from app.store.registry import VersionRecord
from app.store.store import Store

Target = tuple[str, int | None, str | None]

#: Names that callers ask for are theirs to choose; do not remember all of them.
MAX_TARGETS = 10_000
#: Multiplications that take about a millisecond; more are done in a thread.
QUICK_WORK = 4_000_000
#: Rows whose answers are written within some milliseconds, likewise.
QUICK_ROWS = 20_000


def is_quick(predictor: Predictor, n_rows: int) -> bool:
    """Whether so many rows are answered in less time than a thread takes to be asked and to answer."""
    return n_rows <= QUICK_ROWS and n_rows * predictor.work_per_row <= QUICK_WORK


class _Loaded:
    """A predictor, what it takes, and when it was asked for last."""

    __slots__ = ("predictor", "size", "used")

    def __init__(self, predictor: Predictor, size: int, used: int) -> None:
        self.predictor = predictor
        self.size = size
        self.used = used


class ModelCache:
    """(name, version, alias) -> version number and predictor.

    What a target means is remembered until the generation of the store moves. Predictors are kept
    by the digest of their artifact, which never changes its meaning, the longest unused out first.
    However many callers wait for a predictor, one of them loads it.
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
        """The answer if it is known already: no lock, no disk, no waiting."""
        if self._store.generation.current() != self._generation:
            return None
        known = self._targets.get(target)
        if known is None:
            return None
        answer, loaded = known
        loaded.used = next(self._clock)
        return answer

    def is_quick(self, target: Target, n_bytes: int) -> bool:
        """Whether a body of that size is answered without a disk and within about a millisecond."""
        loaded = self.ready(target)
        if loaded is None:
            return False
        predictor = loaded[1]
        n_rows = n_bytes // (4 * predictor.n_columns)  # about: a number takes 1 to 20 bytes
        return is_quick(predictor, n_rows)

    def get(self, target: Target) -> tuple[int, Predictor]:
        """The answer, looked up and loaded if need be."""
        known = self.ready(target)
        if known is not None:
            return known
        generation = self._store.generation.current()  # before the database is read
        record = self._store.registry.resolve(*target)
        loaded = self._predictor(record)
        answer = record.version, loaded.predictor
        with self._lock:
            if generation != self._generation:
                self._targets = {}
                self._generation = generation
            if len(self._targets) >= MAX_TARGETS:
                self._targets.clear()
            if self._loaded.get(record.predictor.sha256) is loaded:  # not evicted meanwhile
                self._targets[target] = answer, loaded
        return answer

    def size(self) -> tuple[int, int]:
        """Number of loaded predictors, and their bytes."""
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
        """Forget the longest unused, but never what is being asked for, until all fits."""
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
        """Forget what the name means and the predictors of these artifacts; asking loads anew."""
        with self._lock:
            self._targets = {t: known for t, known in self._targets.items() if t[0] != model}
            for digest in digests:
                self._loaded.pop(digest, None)
