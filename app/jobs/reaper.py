"""Finds jobs whose process is gone and says so in their rows."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from app.jobs.supervisor import failure
from app.schemas.jobs import JobState
from app.store.beats import Stillness
from app.store.jobs import JobRecord
from app.store.store import Store

log = logging.getLogger("frtsvm.jobs")


class Reaper:
    """A process of this machine is gone when its lock is free; any other when its jobs do not beat.

    Beats are counted, not dated (`app.store.beats`), so that no wrong clock can end a job.
    """

    def __init__(
        self, store: Store, lease: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._lease = lease
        self._stillness = Stillness(clock)

    def reap(self) -> None:
        """Look at all running jobs once."""
        running = self._store.jobs.running()
        for job in running:
            still = self._stillness.of((job.id, job.fence), job.beat)
            if self._owner_is_gone(job) or still > self._lease:
                self._interrupt(job)
        self._stillness.keep({(job.id, job.fence) for job in running})

    def _owner_is_gone(self, job: JobRecord) -> bool:
        return job.owner is None or self._store.presence.is_gone(job.owner) is True

    def _interrupt(self, job: JobRecord) -> None:
        if job.cancel_requested:
            self._store.jobs.end(job.id, job.fence, JobState.CANCELLED, None)
            return
        error = failure("interrupted", "the server stopped while the training ran")
        if self._store.jobs.end(job.id, job.fence, JobState.FAILED, error):
            log.warning("job interrupted", extra={"job": job.id})
