"""Run one claimed job: start its process, monitor it, and publish its model or record its failure.

The database row is authoritative. The process is killed (SIGKILL) and its files are removed if the
job is cancelled, if its fencing token is outdated, or if it exceeds its time limit. Only
`JobStore.publish` creates a version, in one transaction that checks state and fencing token. A
request to keep the best model so far is forwarded to the process, which then ends by itself; until
it has ended, all of the above still applies.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from app.errors import ServiceError, StoreFull, StoreUnavailable
from app.jobs.interruption import Interruptions, failure
from app.jobs.launch import Launcher
from app.jobs.messages import STOP, Task, receive, send, staged_from_json
from app.schemas.jobs import JobState
from app.store.jobs import JobRecord, JobStore
from app.store.store import Store

log = logging.getLogger("frtsvm.jobs")

T = TypeVar("T")

#: Seconds between reads of the row (is it cancelled?) and between writes (heartbeat and progress).
POLL_INTERVAL = 0.25
HEARTBEAT_INTERVAL = 0.5
#: Seconds for which the last step of a job is retried; less than the default lease of 30 s.
RETRY_SECONDS = 20.0
#: Exit code reported by multiprocessing if the fork server has ended; the process may still run.
STATUS_LOST = 255


class Supervisor:
    """Runs jobs on behalf of this process."""

    def __init__(
        self,
        store: Store,
        launcher: Launcher,
        timeout: float,
        memory: int,
        observe: Callable[[str, float], None],
        *,
        attempts: int = 1,
        scheduler: str | None = None,
    ) -> None:
        self._store = store
        self._jobs: JobStore = store.jobs
        self._launcher = launcher
        self._interruptions = Interruptions(store.jobs, attempts)
        self._scheduler = scheduler
        self._timeout = timeout
        self._memory = memory
        self._observe = observe
        self.stopping = threading.Event()

    def run(self, record: JobRecord, check_now: threading.Event) -> None:
        """Run a claimed job until it has ended. Set `check_now` to read its row immediately."""
        prefix = f"{self._store.presence.id}.{record.id}"
        started = time.monotonic()
        monitor: _ProcessMonitor | None = None
        try:
            monitor = _ProcessMonitor(self, record, check_now, prefix)
            monitor.run()
        except StoreUnavailable as error:
            self.conclude(record, JobState.FAILED, failure("storage", error.detail))
        except Exception as error:
            log.exception("training could not be run", extra={"job": record.id})
            detail = (
                f"The training could not be run because of an unexpected {type(error).__name__}. "
                "The log of the service has the traceback."
            )
            self.conclude(record, JobState.FAILED, failure("crashed", detail))
        finally:
            if monitor is not None:
                monitor.end_process()
            self._store.files.drop_temporaries_of(prefix)
            self._observe(self.outcome(record), time.monotonic() - started)

    def start(self, record: JobRecord, prefix: str) -> tuple[BaseProcess, Connection]:
        """Start the process of a job; return it and the end of its pipe for the supervisor."""
        files = self._store.files
        task = Task(
            job=record.id,
            spool=str(
                self.retry_while_unavailable(lambda: files.checked_spool(record.id, record.spool))
            ),
            sha256=record.spool.sha256,
            options=record.options,
            temporary=str(files.temporary),
            process=prefix,
            memory=self._memory,
            scheduler=self._scheduler,
        )
        return self._launcher.start(task)

    def interrupt(self, record: JobRecord) -> None:
        """Interrupt a job because this process is shutting down."""
        try:
            self.retry_while_unavailable(lambda: self._interruptions.interrupt(record))
        except ServiceError as trouble:  # no more heartbeats follow, so the reaper ends it
            log.error(
                "cannot record the end of the job", extra={"job": record.id, "why": trouble.detail}
            )

    def conclude(self, record: JobRecord, state: JobState, error: dict[str, Any] | None) -> None:
        """Record the end of a job that produced no version."""
        try:
            ended = self.retry_while_unavailable(
                lambda: self._jobs.end(record.id, record.fence, state, error)
            )
        except ServiceError as trouble:  # no more heartbeats follow, so the reaper ends it
            log.error(
                "cannot record the end of the job", extra={"job": record.id, "why": trouble.detail}
            )
            return
        code = error["code"] if error else None
        log.info(
            "job ended",
            extra={"job": record.id, "state": state.value, "code": code, "recorded": ended},
        )

    def publish(self, record: JobRecord, message: dict[str, Any]) -> None:
        """Create the version, unless the job was cancelled or the fencing token is outdated."""
        predictor = staged_from_json(message["predictor"])
        evidence = staged_from_json(message["evidence"])
        done = {"phase": "done", "percent": 100.0}
        try:
            version = self.retry_while_unavailable(
                lambda: self._jobs.publish(
                    record.id, record.fence, predictor, evidence, message["info"], done
                )
            )
        except ServiceError as error:
            # On a full disk, the files of this attempt would keep it full.
            self._store.registry.drop_unused([predictor.sha256, evidence.sha256])
            code = "store_full" if isinstance(error, StoreFull) else "storage"
            self.conclude(record, JobState.FAILED, failure(code, error.detail))
            return
        if version is None:
            self.conclude(record, JobState.CANCELLED, None)
        else:
            log.info(
                "version published",
                extra={"job": record.id, "model": record.model, "version": version},
            )

    def retry_while_unavailable(self, step: Callable[[], T]) -> T:
        """Run `step`; retry for `RETRY_SECONDS` while the store is unavailable.

        A restart of PostgreSQL, for example, takes a few seconds.
        """
        deadline = time.monotonic() + RETRY_SECONDS
        while True:
            try:
                return step()
            except StoreUnavailable:
                if time.monotonic() >= deadline or self.stopping.is_set():
                    raise
                time.sleep(POLL_INTERVAL)

    def outcome(self, record: JobRecord) -> str:
        """Return the state of an ended job, or "unknown" if the store is unavailable."""
        try:
            return self._jobs.get(record.id).state.value
        except ServiceError:
            return "unknown"

    @property
    def timeout(self) -> float:
        """Time limit of a job in seconds."""
        return self._timeout

    def read_row(self, record: JobRecord) -> JobRecord:
        """Return the present row of a job."""
        return self._jobs.get(record.id)

    def heartbeat(self, record: JobRecord, progress: dict[str, Any]) -> bool:
        """Record a heartbeat and the progress of a job."""
        return self._jobs.heartbeat(record.id, record.fence, progress)


class _ProcessMonitor:
    """Monitors the process of one job."""

    def __init__(
        self, owner: Supervisor, record: JobRecord, check_now: threading.Event, prefix: str
    ) -> None:
        self._owner = owner
        self._record = record
        self._check_now = check_now
        self._started = time.monotonic()
        self._next_poll = 0.0
        self._next_heartbeat = 0.0
        self._stop_sent = False
        self._progress: dict[str, Any] = {"phase": "starting", "percent": 0.0}
        self._process, self._pipe = owner.start(record, prefix)

    def run(self) -> None:
        """Return when the job has ended, for whatever reason."""
        while True:
            wait([self._pipe, self._process.sentinel], timeout=POLL_INTERVAL / 5)
            if self._handle_messages() or self._handle_row() or self._handle_timeout_and_shutdown():
                return

    def end_process(self) -> None:
        """Kill the process if it still runs, and reap it."""
        if self._process.is_alive():
            self._process.kill()
        self._process.join()
        if self._process.exitcode == STATUS_LOST and self._process.pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGKILL)
        self._process.close()
        self._pipe.close()

    def _handle_messages(self) -> bool:
        alive = self._process.is_alive()  # checked first: a dead process sends no more messages
        try:
            while self._pipe.poll():
                message = receive(self._pipe)
                if message["kind"] == "progress":
                    self._progress = message["progress"]
                else:
                    self._process.join(1.0)
                    self._finish(message)
                    return True
        except EOFError:
            self._process.join(1.0)
            alive = False
        if alive:
            return False
        code = self._process.exitcode
        detail = (
            f"The training process ended unexpectedly with exit code {code}. "
            "The log of the service may show the cause."
        )
        if code == -9:
            detail = (
                "The training process was killed (SIGKILL), probably by the out-of-memory killer. "
                "Send fewer rows, lower `rank`, or give the machine or container more memory."
            )
        self._owner.conclude(self._record, JobState.FAILED, failure("killed", detail))
        return True

    def _finish(self, message: dict[str, Any]) -> None:
        if message["kind"] == "done":
            self._owner.publish(self._record, message)
        elif message["kind"] == "cancelled":
            self._owner.conclude(self._record, JobState.CANCELLED, None)
        else:
            if "trace" in message:
                log.error(
                    "training failed unexpectedly",
                    extra={"job": self._record.id, "trace": message["trace"]},
                )
            error = failure(message["code"], message["detail"], message.get("errors"))
            self._owner.conclude(self._record, JobState.FAILED, error)

    def _handle_row(self) -> bool:
        now = time.monotonic()
        if now < self._next_poll and not self._check_now.is_set():
            return False
        self._check_now.clear()
        self._next_poll = now + POLL_INTERVAL
        try:
            row = self._owner.read_row(self._record)
            if row.fence != self._record.fence or row.state is not JobState.RUNNING:
                return True  # another process has ended the job
            if row.cancel_requested:
                self.kill()
                self._owner.conclude(self._record, JobState.CANCELLED, None)
                return True
            if row.keep_best and not self._stop_sent:
                self._stop_sent = True
                with contextlib.suppress(OSError):  # the process has ended already
                    send(self._pipe, STOP)
            if now >= self._next_heartbeat:
                self._next_heartbeat = now + HEARTBEAT_INTERVAL
                self._owner.heartbeat(self._record, self._progress)
        except ServiceError as error:  # the training continues while the database is busy or full
            log.warning(
                "cannot update the job", extra={"job": self._record.id, "why": error.detail}
            )
        return False

    def _handle_timeout_and_shutdown(self) -> bool:
        if time.monotonic() - self._started > self._owner.timeout:
            self.kill()
            detail = (
                f"The training took longer than {self._owner.timeout:g} s. "
                "Train on fewer rows, or raise FRTSVM_TRAINING_TIMEOUT."
            )
            self._owner.conclude(self._record, JobState.FAILED, failure("timed_out", detail))
            return True
        if self._owner.stopping.is_set():
            self.kill()
            self._owner.interrupt(self._record)
            return True
        return False

    def kill(self) -> None:
        """Kill the process before the end of its job is recorded."""
        self._process.kill()
        self._process.join()
