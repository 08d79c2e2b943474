"""Periodic work of every engine: end jobs of dead processes, collect garbage, prune the history."""

from __future__ import annotations

import time

from app.jobs.reaper import Reaper
from app.store.store import Store

#: Seconds between two runs of each kind of work.
REAP_INTERVAL = 1.0
GARBAGE_INTERVAL = 60.0


class Housekeeping:
    """Runs periodic work when it is due; `when_due` can be called at any rate."""

    def __init__(self, store: Store, *, history: int, lease: float, attempts: int = 1) -> None:
        self._store = store
        self._history = history
        self._reaper = Reaper(store, lease, attempts)
        self._next_reap = self._next_garbage = 0.0

    def when_due(self) -> None:
        """Run the work that is due."""
        now = time.monotonic()
        if now >= self._next_reap:
            self._next_reap = now + REAP_INTERVAL
            self._reaper.reap()
            self._store.clean_up_after_dead_processes()
        if now >= self._next_garbage:
            self._next_garbage = now + GARBAGE_INTERVAL
            self._store.collect_garbage()
            self._store.jobs.prune(self._history)
