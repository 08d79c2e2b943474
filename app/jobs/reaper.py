"""End or requeue running jobs whose process is dead."""

from __future__ import annotations

import time
from collections.abc import Callable

from app.jobs.interruption import Interruptions
from app.store.jobs import JobRecord
from app.store.stall_detector import StallDetector
from app.store.store import Store


class Reaper:
    """Finds running jobs without a live process and interrupts them.

    A process on this machine is dead if its lock is free, one on another machine if its heartbeats
    stop. A job is also interrupted if its own heartbeat counter stalls for longer than the lease.
    Heartbeats are counters without timestamps (`app.store.stall_detector`), so a wrong clock cannot
    end a job.
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
        """Check all running jobs once."""
        running = self._store.jobs.running()
        for job in running:
            stalled = self._stall_detector.seconds_stalled((job.id, job.fence), job.beat)
            if self._owner_is_gone(job) or stalled > self._lease:
                self._interruptions.interrupt(job)
        self._stall_detector.retain({(job.id, job.fence) for job in running})

    def _owner_is_gone(self, job: JobRecord) -> bool:
        return job.owner is None or self._store.presence.is_gone(job.owner) is True
