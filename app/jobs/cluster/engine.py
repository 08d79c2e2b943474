"""Hands queued jobs to a Dask cluster.

Every web process hands over every queued job, and the scheduler sees by the name that it is one task.
A worker then claims the row; whoever comes second finds it claimed and does nothing. So it does not
matter which web process dies, nor when the scheduler forgets everything: as long as the row says
"queued", the job is handed over again. No data pass here, only the id of the job.
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

POLL_INTERVAL = 0.25
#: Seconds for the scheduler to answer, and between attempts to reach it.
CONNECT_TIMEOUT = 5.0
RECONNECT_INTERVAL = 2.0
#: Seconds before a job is handed over again whose task ended without claiming it.
AGAIN_INTERVAL = 5.0
#: More than any queue should be; the rest is handed over when these are gone.
AT_A_TIME = 1000


class ClusterEngine:
    """One thread that compares the queue with what the cluster has been given."""

    def __init__(self, store: Store, scheduler: str, *, history: int, lease: float) -> None:
        self._store = store
        self._scheduler = scheduler
        self._housekeeping = Housekeeping(
            store, history=history, lease=lease, attempts=CLUSTER_ATTEMPTS
        )
        self._client: Client | None = None
        self._next_connect = 0.0
        self._handed: dict[tuple[str, int], _Handed] = {}
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._dispatcher = threading.Thread(target=self._dispatch, name="jobs", daemon=True)

    def start(self) -> None:
        """Begin to hand jobs over."""
        self._dispatcher.start()

    def submit(self, job: str) -> None:
        """There is a new job."""
        log.debug("woken", extra={"job": job})
        self._wake.set()

    def cancel(self, job: str) -> None:
        """Nothing to do: the worker that runs it sees it in the row."""

    def capacity(self) -> int:
        """Jobs that the workers could run at a time, less those that wait for them."""
        client = self._client
        if client is None:
            return 0
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        return sum(int(worker["resources"].get(JOB, 0)) for worker in workers) - len(self._handed)

    def stop(self, grace: float) -> None:  # noqa: ARG002
        """Hand nothing over any more. What runs, and what waits, is the cluster's and goes on."""
        self._stop.set()
        self._wake.set()
        if self._dispatcher.ident is not None:
            self._dispatcher.join()
        self._disconnect()

    def _dispatch(self) -> None:
        while not self._stop.is_set():
            try:
                self._housekeeping.when_due()
                self._hand_over()
            except ServiceError as error:
                log.warning("the store is not available", extra={"why": error.detail})
            except OSError as error:  # the scheduler does not answer, or no longer
                log.warning("the cluster is not available", extra={"why": str(error)})
                self._disconnect()
            except Exception:
                log.exception("dispatcher")
                self._disconnect()
            self._wake.wait(POLL_INTERVAL)
            self._wake.clear()

    def _hand_over(self) -> None:
        queued = self._store.jobs.queued(AT_A_TIME)
        waiting = {(job.id, job.fence) for job in queued}
        self._handed = {key: value for key, value in self._handed.items() if key in waiting}
        client = self._connected()
        if client is None:
            return
        for job in queued:
            handed = self._handed.setdefault((job.id, job.fence), _Handed())
            handed.look(job)
            if handed.due:
                handed.hand_to(client, job)

    def _connected(self) -> Client | None:
        """The cluster, if it can be reached at this moment."""
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
        self._handed = {}
        if client is not None:
            with suppress(Exception):  # it may be half closed already
                client.close(timeout=CONNECT_TIMEOUT)


class _Handed:
    """A queued job and the task that was made of it."""

    def __init__(self) -> None:
        self._future: Future[None] | None = None
        self._handovers = 0
        self._not_before = 0.0

    @property
    def due(self) -> bool:
        """Whether it is time to hand it over."""
        return self._future is None and time.monotonic() >= self._not_before

    def look(self, job: JobRecord) -> None:
        """Notice a task that has ended although its job still waits."""
        if self._future is None or self._future.status == "pending":
            return
        if self._future.status == "error":
            why = repr(self._future.exception())
            log.warning("a worker could not take a job", extra={"job": job.id, "why": why})
        self._future = None
        self._handovers += 1
        self._not_before = time.monotonic() + AGAIN_INTERVAL

    def hand_to(self, client: Client, job: JobRecord) -> None:
        """Make a task of the job, which outlives this process."""
        self._future = client.submit(
            run_job,
            job.id,
            job.fence,
            key=job_key(job.id, job.fence, self._handovers),
            resources={JOB: 1},
            retries=0,
        )
        fire_and_forget(self._future)
        log.info("job handed over", extra={"job": job.id, "attempt": job.attempt})
