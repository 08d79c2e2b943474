"""The Dask task that runs a job on a worker.

A worker opens the store with the settings of its own environment, so neither data nor passwords are
sent through the scheduler.
"""

from __future__ import annotations

import logging
import threading
import time
from contextlib import ExitStack

from app.jobs.interruption import CLUSTER_ATTEMPTS
from app.jobs.launch import Launcher
from app.jobs.supervisor import Supervisor
from app.settings import Settings
from app.store.store import Store

log = logging.getLogger("frtsvm.jobs")


class ClusterRunner:
    """Runs jobs on one worker, with its own connection to the store."""

    def __init__(self, settings: Settings) -> None:
        self._stack = ExitStack()
        self.store = self._stack.enter_context(Store.of(settings))
        launcher = Launcher()
        launcher.warm_up()
        self._supervisor = Supervisor(
            self.store,
            launcher,
            settings.training_timeout,
            settings.training_memory,
            _log_end,
            attempts=CLUSTER_ATTEMPTS,
            scheduler=settings.dask_scheduler,
        )
        self._running = 0
        self._changed = threading.Condition()

    def run(self, job: str, fence: int) -> None:
        """Claim and run a job, unless its state has changed since it was submitted."""
        with self._changed:
            if self._supervisor.stopping.is_set():
                return
            record = self.store.jobs.claim_one(job, fence, self.store.presence.id)
            if record is None:
                return
            self._running += 1
        try:
            log.info("job started", extra={"job": record.id, "attempt": record.attempt})
            self._supervisor.run(record, threading.Event())
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def stop(self, grace: float) -> None:
        """Wait `grace` seconds for running jobs, requeue the rest, and close the store."""
        deadline = time.monotonic() + grace
        with self._changed:
            self._changed.wait_for(lambda: self._running == 0, max(0.0, grace))
            self._supervisor.stopping.set()
            self._changed.wait_for(lambda: self._running == 0)
        log.info("worker stopped", extra={"seconds_left": round(deadline - time.monotonic(), 1)})
        self._stack.close()


_runner: ClusterRunner | None = None
_lock = threading.Lock()


def runner() -> ClusterRunner:
    """Return the runner of this process; the first call creates it."""
    global _runner
    with _lock:
        if _runner is None:
            _runner = ClusterRunner(Settings())
        return _runner


def run_job(job: str, fence: int) -> None:
    """Run a job. The result is recorded in the database row of the job only."""
    runner().run(job, fence)


def _log_end(outcome: str, seconds: float) -> None:
    log.info("training ended", extra={"outcome": outcome, "seconds": round(seconds, 3)})
