"""What a worker of a cluster is asked to do. It has the store from its own environment: neither data
nor passwords travel through the scheduler."""

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
    """The store of one worker, and the jobs it runs."""

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
        """Run a job to its end, unless it is no longer what it was when it was handed over."""
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
        """Give running jobs some time, then hand them back to the queue, and close the store."""
        deadline = time.monotonic() + grace
        with self._changed:
            self._changed.wait_for(lambda: self._running == 0, max(0.0, grace))
            self._supervisor.stopping.set()
            self._changed.wait_for(lambda: self._running == 0)
        log.info("stopped", extra={"seconds_left": round(deadline - time.monotonic(), 1)})
        self._stack.close()


_runner: ClusterRunner | None = None
_lock = threading.Lock()


def runner() -> ClusterRunner:
    """The one of this process, made when it is first needed."""
    global _runner
    with _lock:
        if _runner is None:
            _runner = ClusterRunner(Settings())
        return _runner


def run_job(job: str, fence: int) -> None:
    """The task. What came of it is in the row of the job, and nowhere else."""
    runner().run(job, fence)


def _log_end(outcome: str, seconds: float) -> None:
    log.info("attempt ended", extra={"outcome": outcome, "seconds": round(seconds, 3)})
