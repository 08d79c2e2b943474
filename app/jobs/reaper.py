"""Finds jobs whose process is gone and says so in their rows."""

from __future__ import annotations

import time
from collections.abc import Callable

from app.jobs.interruption import Interruptions
from app.store.jobs import JobRecord
from app.store.stall_detector import StallDetector
from app.store.store import Store


class Reaper:
    """A process of this machine is gone when its lock is free; any other when its jobs do not beat.

    Beats are counted, not dated (`app.store.stall_detector`), so that no wrong clock can end a job.
    """

    def __init__(
        self,
        store: Store,
        lease: float,
        attempts: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._interruptions = Interruptions(store.jobs, attempts)
        self._lease = lease
        self._stall_detector = StallDetector(clock)

    def reap(self) -> None:
        """Look at all running jobs once."""
        running = self._store.jobs.running()
        for job in running:
            still = self._stall_detector.seconds_stalled((job.id, job.fence), job.beat)
            if self._owner_is_gone(job) or still > self._lease:
                self._interruptions.interrupt(job)
        self._stall_detector.keep({(job.id, job.fence) for job in running})

    def _owner_is_gone(self, job: JobRecord) -> bool:
        return job.owner is None or self._store.presence.is_gone(job.owner) is True
