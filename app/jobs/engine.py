"""Embedded job engine: claims queued jobs whenever this process has a free training slot."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from app.errors import ServiceError
from app.jobs.housekeeping import Housekeeping
from app.jobs.launch import Launcher
from app.jobs.supervisor import Supervisor
from app.store.jobs import JobRecord
from app.store.store import Store

log = logging.getLogger("frtsvm.jobs")

#: Seconds between checks for jobs that other processes have queued.
POLL_INTERVAL = 0.25


class EmbeddedEngine:
    """Runs jobs with one dispatcher thread, and one thread and one process per running job."""

    def __init__(
        self,
        store: Store,
        *,
        slots: int,
        preload: bool,
        timeout: float,
        memory: int,
        history: int,
        lease: float,
        observe: Callable[[str, float], None],
    ) -> None:
        self._store = store
        self._slots = slots
        self._preload = preload
        self._loaded = False
        self._launcher = Launcher()
        self._supervisor = Supervisor(store, self._launcher, timeout, memory, observe)
        self._housekeeping = Housekeeping(store, history=history, lease=lease)
        self._running: dict[str, tuple[threading.Thread, threading.Event]] = {}
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._dispatcher = threading.Thread(target=self._dispatch, name="jobs", daemon=True)

    def start(self) -> None:
        """Start claiming and running jobs."""
        self._dispatcher.start()

    def submit(self, job: str) -> None:
        """Wake the dispatcher because a job was queued; a free process claims the oldest job."""
        log.debug("dispatcher woken", extra={"job": job})
        self._wake.set()

    def cancel(self, job: str) -> None:
        """Check a job immediately after its cancellation was requested, if it runs here."""
        with self._lock:
            entry = self._running.get(job)
        if entry:
            entry[1].set()

    def capacity(self) -> int:
        """Return the number of free training slots."""
        with self._lock:
            return self._slots - len(self._running)

    def stop(self, grace: float) -> None:
        """Claim no more jobs; wait `grace` seconds for running ones, then interrupt them."""
        self._stop.set()
        self._wake.set()
        if self._dispatcher.ident is not None:
            self._dispatcher.join()
        deadline = time.monotonic() + grace
        for thread, _ in self._threads():
            thread.join(max(0.0, deadline - time.monotonic()))
        self._supervisor.stopping.set()
        for thread, _ in self._threads():
            thread.join()

    def _threads(self) -> list[tuple[threading.Thread, threading.Event]]:
        with self._lock:
            return list(self._running.values())

    def _dispatch(self) -> None:
        if self._preload:
            self._load()
        while not self._stop.is_set():
            try:
                while not self._stop.is_set() and self.capacity() > 0 and self._start_next():
                    pass
                self._housekeeping.when_due()
            except ServiceError as error:
                log.warning("store unavailable, retrying", extra={"why": error.detail})
            except Exception:
                log.exception("job dispatcher failed, retrying")
            self._wake.wait(POLL_INTERVAL)
            self._wake.clear()

    def _load(self) -> None:
        self._launcher.warm_up()
        self._loaded = True

    def _start_next(self) -> bool:
        if not self._loaded:
            if not self._store.jobs.queued(1):
                return False
            self._load()
        record = self._store.jobs.claim(self._store.presence.id)
        if record is None:
            return False
        log.info("job started", extra={"job": record.id, "model": record.model})
        check_now = threading.Event()
        thread = threading.Thread(
            target=self._run, args=(record, check_now), name=f"job-{record.id}", daemon=True
        )
        with self._lock:
            self._running[record.id] = (thread, check_now)
        thread.start()
        return True

    def _run(self, record: JobRecord, check_now: threading.Event) -> None:
        try:
            self._supervisor.run(record, check_now)
        finally:
            with self._lock:
                del self._running[record.id]
            self._wake.set()
