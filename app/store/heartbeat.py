"""Background thread that sends heartbeats and detects changes made on other machines."""

from __future__ import annotations

import logging
import threading
from contextlib import suppress

from sqlalchemy import select

from app.errors import ServiceError
from app.store.database import Database
from app.store.generation import SharedGeneration
from app.store.process_registry import ProcessRegistry
from app.store.schema import gate

log = logging.getLogger("frtsvm.store")

#: Seconds between reads of the generation. Including the time of the query, a change made on
#: another machine is detected within one second, as docs/operations.md promises.
POLL_INTERVAL = 0.25
#: Every fourth poll is a heartbeat: one per second.
POLLS_PER_HEARTBEAT = 4


class Heartbeat:
    """Sends heartbeats and polls the generation.

    It uses its own database connection, so an exhausted connection pool does not stop it.
    """

    def __init__(self, url: str, process: str, generation: SharedGeneration, lease: float) -> None:
        self._database = Database(url, connections=1)
        self._registry = ProcessRegistry(self._database, lease)
        self._process = process
        self._generation = generation
        self._seen = self._registry.heartbeat(process)
        self._database_lost = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the thread and remove this process from the registry."""
        self._stop.set()
        self._thread.join()
        with suppress(ServiceError):  # otherwise it is declared dead after the lease
            self._registry.forget(self._process)
        self._database.close()

    def _run(self) -> None:
        polls = 0
        while not self._stop.wait(POLL_INTERVAL):
            polls += 1
            try:
                found = (
                    self._read_generation()
                    if polls % POLLS_PER_HEARTBEAT
                    else self._registry.heartbeat(self._process)
                )
            except ServiceError as error:
                if not self._database_lost:
                    log.warning("database unreachable", extra={"why": error.detail})
                self._database_lost = True
                continue
            except Exception:
                log.exception("heartbeat failed")
                continue
            if self._database_lost:
                log.info("database reachable again")
                self._database_lost = False
            if found != self._seen:
                self._generation.advance()
                self._seen = found

    def _read_generation(self) -> int:
        with self._database.read() as connection:
            return int(connection.execute(select(gate.c.generation)).scalar_one())
