"""What every engine does now and then: find jobs whose process is gone, remove what nobody needs."""

from __future__ import annotations

import time

from app.jobs.reaper import Reaper
from app.store.store import Store

REAP_INTERVAL = 1.0
SWEEP_INTERVAL = 60.0


class Housekeeping:
    """Called often, works rarely."""

    def __init__(self, store: Store, *, history: int, lease: float, attempts: int = 1) -> None:
        self._store = store
        self._history = history
        self._reaper = Reaper(store, lease, attempts)
        self._next_reap = self._next_sweep = 0.0

    def when_due(self) -> None:
        """Do what is due."""
        now = time.monotonic()
        if now >= self._next_reap:
            self._next_reap = now + REAP_INTERVAL
            self._reaper.reap()
            self._store.clean_up_after_dead_processes()
        if now >= self._next_sweep:
            self._next_sweep = now + SWEEP_INTERVAL
            self._store.sweep()
            self._store.jobs.prune(self._history)
