"""Runs one claimed job to its end: starts its process, watches it, publishes or records why not.

The row decides. Cancellation, a lost fence and the deadline all end the process with SIGKILL, and
whatever it was writing is removed; only `JobStore.publish` makes a version, in one transaction that
checks state and fence. A request to keep the best so far is passed on to the process, which ends by
itself; until it has, all of the above still holds.
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

#: Seconds between looks at the row (is it cancelled?) and writes to it (beat and progress).
LOOK_INTERVAL = 0.25
BEAT_INTERVAL = 0.5
#: Seconds for which the last step of a job is tried again; less than the usual lease.
PATIENCE = 20.0
#: What multiprocessing says when the process that forked ours is gone: ours may still run.
STATUS_LOST = 255


class Supervisor:
    """What runs jobs in this process of the server."""

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

    def run(self, record: JobRecord, nudge: threading.Event) -> None:
        """Run a claimed job. `nudge` makes it look at the row at once."""
        owned = f"{self._store.presence.id}.{record.id}"
        started = time.monotonic()
        watch: _Watch | None = None
        try:
            watch = _Watch(self, record, nudge, owned)
            watch.run()
        except StoreUnavailable as error:
            self.conclude(record, JobState.FAILED, failure("storage", error.detail))
        except Exception as error:
            log.exception("supervisor failed", extra={"job": record.id})
            detail = f"the training could not be run: {type(error).__name__}"
            self.conclude(record, JobState.FAILED, failure("crashed", detail))
        finally:
            if watch is not None:
                watch.end_process()
            self._store.files.drop_temporaries_of(owned)
            self._observe(self.outcome(record), time.monotonic() - started)

    def start(self, record: JobRecord, owned: str) -> tuple[BaseProcess, Connection]:
        """The process of a job, and our end of its pipe."""
        files = self._store.files
        task = Task(
            job=record.id,
            spool=str(self.patiently(lambda: files.checked_spool(record.id, record.spool))),
            sha256=record.spool.sha256,
            options=record.options,
            temporary=str(files.temporary),
            process=owned,
            memory=self._memory,
            scheduler=self._scheduler,
        )
        return self._launcher.start(task)

    def interrupt(self, record: JobRecord) -> None:
        """Give up a job because this process stops."""
        try:
            self.patiently(lambda: self._interruptions.interrupt(record))
        except ServiceError as trouble:  # without beats, the lease will end it
            log.error("cannot record the end", extra={"job": record.id, "why": trouble.detail})

    def conclude(self, record: JobRecord, state: JobState, error: dict[str, Any] | None) -> None:
        """Record the end of a job that made no version."""
        try:
            ended = self.patiently(lambda: self._jobs.end(record.id, record.fence, state, error))
        except ServiceError as trouble:  # without beats, the lease will end it
            log.error("cannot record the end", extra={"job": record.id, "why": trouble.detail})
            return
        code = error["code"] if error else None
        log.info(
            "job ended",
            extra={"job": record.id, "state": state.value, "code": code, "recorded": ended},
        )

    def publish(self, record: JobRecord, message: dict[str, Any]) -> None:
        """Make the version, unless the job was cancelled or taken from us meanwhile."""
        predictor = staged_from_json(message["predictor"])
        evidence = staged_from_json(message["evidence"])
        done = {"phase": "done", "percent": 100.0}
        try:
            version = self.patiently(
                lambda: self._jobs.publish(
                    record.id, record.fence, predictor, evidence, message["info"], done
                )
            )
        except ServiceError as error:
            # Where the disk is full, what this attempt has left would keep it so.
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

    def patiently(self, step: Callable[[], T]) -> T:
        """Take a last step of a job, again if the store is away: it may be restarting."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return step()
            except StoreUnavailable:
                if time.monotonic() >= deadline or self.stopping.is_set():
                    raise
                time.sleep(LOOK_INTERVAL)

    def outcome(self, record: JobRecord) -> str:
        """The state that a job ended in."""
        try:
            return self._jobs.get(record.id).state.value
        except ServiceError:
            return "unknown"

    @property
    def timeout(self) -> float:
        """Seconds that a job may take."""
        return self._timeout

    def look(self, record: JobRecord) -> JobRecord:
        """The row of a job."""
        return self._jobs.get(record.id)

    def beat(self, record: JobRecord, progress: dict[str, Any]) -> bool:
        """Write that a job lives, and how far it is."""
        return self._jobs.beat(record.id, record.fence, progress)


class _Watch:
    """The loop around one process."""

    def __init__(
        self, owner: Supervisor, record: JobRecord, nudge: threading.Event, owned: str
    ) -> None:
        self._owner = owner
        self._record = record
        self._nudge = nudge
        self._started = time.monotonic()
        self._next_look = 0.0
        self._next_beat = 0.0
        self._told_to_stop = False
        self._progress: dict[str, Any] = {"phase": "starting", "percent": 0.0}
        self._process, self._pipe = owner.start(record, owned)

    def run(self) -> None:
        """Until the job has ended one way or another."""
        while True:
            wait([self._pipe, self._process.sentinel], timeout=LOOK_INTERVAL / 5)
            if self._handle_messages() or self._handle_row() or self._handle_clock():
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
        alive = self._process.is_alive()  # asked first: a dead process has sent all it will send
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
        detail = f"the training process ended with exit code {code}"
        if code == -9:
            detail = "the training process was killed, as systems do that run out of memory"
        self._owner.conclude(self._record, JobState.FAILED, failure("killed", detail))
        return True

    def _finish(self, message: dict[str, Any]) -> None:
        if message["kind"] == "done":
            self._owner.publish(self._record, message)
        elif message["kind"] == "cancelled":
            self._owner.conclude(self._record, JobState.CANCELLED, None)
        else:
            if "trace" in message:
                log.error("training", extra={"job": self._record.id, "trace": message["trace"]})
            error = failure(message["code"], message["detail"], message.get("errors"))
            self._owner.conclude(self._record, JobState.FAILED, error)

    def _handle_row(self) -> bool:
        now = time.monotonic()
        if now < self._next_look and not self._nudge.is_set():
            return False
        self._nudge.clear()
        self._next_look = now + LOOK_INTERVAL
        try:
            row = self._owner.look(self._record)
            if row.fence != self._record.fence or row.state is not JobState.RUNNING:
                return True  # someone else has ended it
            if row.cancel_requested:
                self.kill()
                self._owner.conclude(self._record, JobState.CANCELLED, None)
                return True
            if row.keep_best and not self._told_to_stop:
                self._told_to_stop = True
                with contextlib.suppress(OSError):  # it has ended already
                    send(self._pipe, STOP)
            if now >= self._next_beat:
                self._next_beat = now + BEAT_INTERVAL
                self._owner.beat(self._record, self._progress)
        except ServiceError as error:  # a busy or full database is no reason to stop the work
            log.warning("cannot reach the row", extra={"job": self._record.id, "why": error.detail})
        return False

    def _handle_clock(self) -> bool:
        if time.monotonic() - self._started > self._owner.timeout:
            self.kill()
            detail = f"the training took longer than {self._owner.timeout:g} s"
            self._owner.conclude(self._record, JobState.FAILED, failure("timed_out", detail))
            return True
        if self._owner.stopping.is_set():
            self.kill()
            self._owner.interrupt(self._record)
            return True
        return False

    def kill(self) -> None:
        """End the process now, so that an ended job has none."""
        self._process.kill()
        self._process.join()
