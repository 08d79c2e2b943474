"""Submit queued jobs to a Dask cluster.

Every web process submits every queued job under the same task key, so the scheduler runs it as one
task. The worker that runs the task claims the database row; a second worker finds it claimed and
does nothing. As long as the row is in state "queued", the job is submitted again. So no job is lost
if a web process dies or the scheduler restarts. Only the id of the job is sent, no data.
"""

from __future__ import annotations

import logging
import threading
import time
from contextlib import suppress

from distributed import Client, Future, fire_and_forget

from app.errors import ServiceError
from app.jobs.cluster.names import JOB, job_key
from app.jobs.cluster.task import run_job
from app.jobs.housekeeping import Housekeeping
from app.jobs.interruption import CLUSTER_ATTEMPTS
from app.store.jobs import JobRecord
from app.store.store import Store

log = logging.getLogger("frtsvm.jobs")

#: Seconds between checks of the queue.
POLL_INTERVAL = 0.25
#: Seconds to connect to the scheduler, and between two attempts.
CONNECT_TIMEOUT = 5.0
RECONNECT_INTERVAL = 2.0
#: Seconds before a job is submitted again after its task ended without claiming it.
RESUBMIT_INTERVAL = 5.0
#: Maximum number of jobs submitted at a time; the rest of a longer queue follows later.
MAX_SUBMITTED = 1000


class ClusterEngine:
    """Submits queued jobs to a Dask cluster from one dispatcher thread."""

    def __init__(self, store: Store, scheduler: str, *, history: int, lease: float) -> None:
        self._store = store
        self._scheduler = scheduler
        self._housekeeping = Housekeeping(
            store, history=history, lease=lease, attempts=CLUSTER_ATTEMPTS
        )
        self._client: Client | None = None
        self._next_connect = 0.0
        self._submissions: dict[tuple[str, int], _Submission] = {}
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._dispatcher = threading.Thread(target=self._dispatch, name="jobs", daemon=True)

    def start(self) -> None:
        """Start submitting jobs."""
        self._dispatcher.start()

    def submit(self, job: str) -> None:
        """Wake the dispatcher because a job was queued."""
        log.debug("dispatcher woken", extra={"job": job})
        self._wake.set()

    def cancel(self, job: str) -> None:
        """Do nothing: the worker that runs the job reads the request from its row."""

    def capacity(self) -> int:
        """Return the number of slots of all workers, minus the submitted jobs that wait."""
        client = self._client
        if client is None:
            return 0
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        return sum(int(worker["resources"].get(JOB, 0)) for worker in workers) - len(
            self._submissions
        )

    def stop(self, grace: float) -> None:  # noqa: ARG002
        """Submit no more jobs. The cluster continues with the running and waiting ones."""
        self._stop.set()
        self._wake.set()
        if self._dispatcher.ident is not None:
            self._dispatcher.join()
        self._disconnect()

    def _dispatch(self) -> None:
        while not self._stop.is_set():
            try:
                self._housekeeping.when_due()
                self._submit_queued()
            except ServiceError as error:
                log.warning("store unavailable, retrying", extra={"why": error.detail})
            except OSError as error:  # the scheduler does not respond
                log.warning("scheduler unavailable, retrying", extra={"why": str(error)})
                self._disconnect()
            except Exception:
                log.exception("job dispatcher failed, retrying")
                self._disconnect()
            self._wake.wait(POLL_INTERVAL)
            self._wake.clear()

    def _submit_queued(self) -> None:
        queued = self._store.jobs.queued(MAX_SUBMITTED)
        waiting = {(job.id, job.fence) for job in queued}
        self._submissions = {
            key: value for key, value in self._submissions.items() if key in waiting
        }
        client = self._connect()
        if client is None:
            return
        for job in queued:
            submission = self._submissions.setdefault((job.id, job.fence), _Submission())
            submission.check(job)
            if submission.due:
                submission.submit_to(client, job)

    def _connect(self) -> Client | None:
        """Return a connected client; None until the next attempt to connect is due."""
        if self._client is not None and self._client.status == "running":
            return self._client
        self._disconnect()
        now = time.monotonic()
        if now >= self._next_connect:
            self._next_connect = now + RECONNECT_INTERVAL
            self._client = Client(
                self._scheduler, timeout=CONNECT_TIMEOUT, set_as_default=False, name="frtsvm"
            )
            log.info("connected to the cluster", extra={"scheduler": self._scheduler})
        return self._client

    def _disconnect(self) -> None:
        client, self._client = self._client, None
        self._submissions = {}
        if client is not None:
            with suppress(Exception):  # it may be partially closed already
                client.close(timeout=CONNECT_TIMEOUT)


class _Submission:
    """The Dask task of a queued job."""

    def __init__(self) -> None:
        self._future: Future[None] | None = None
        self._resubmissions = 0
        self._not_before = 0.0

    @property
    def due(self) -> bool:
        """Whether the job must be submitted now."""
        return self._future is None and time.monotonic() >= self._not_before

    def check(self, job: JobRecord) -> None:
        """Detect a task that has ended although its job is still queued."""
        if self._future is None or self._future.status == "pending":
            return
        if self._future.status == "error":
            why = repr(self._future.exception())
            log.warning(
                "worker failed to run a job, submitting it again",
                extra={"job": job.id, "why": why},
            )
        self._future = None
        self._resubmissions += 1
        self._not_before = time.monotonic() + RESUBMIT_INTERVAL

    def submit_to(self, client: Client, job: JobRecord) -> None:
        """Submit the job as a task that continues if this process ends."""
        self._future = client.submit(
            run_job,
            job.id,
            job.fence,
            key=job_key(job.id, job.fence, self._resubmissions),
            resources={JOB: 1},
            retries=0,
        )
        fire_and_forget(self._future)
        log.info("job submitted to the cluster", extra={"job": job.id, "attempt": job.attempt})
