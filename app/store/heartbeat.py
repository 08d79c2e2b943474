"""One thread per process that tells the other machines that it lives, and sees what they changed."""

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

#: Seconds between looks at the generation. With the time of a question, a change made on another
#: machine is seen within a second; docs/operations.md promises it.
LOOK_INTERVAL = 0.25
#: A beat every so many looks.
LOOKS_PER_BEAT = 4


class Heartbeat:
    """Beats and looks on a connection of its own, so that no busy pool can stop its heart."""

    def __init__(self, url: str, process: str, generation: SharedGeneration, lease: float) -> None:
        self._database = Database(url, connections=1)
        self._registry = ProcessRegistry(self._database, lease)
        self._process = process
        self._generation = generation
        self._seen = self._registry.beat(process)
        self._away = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop, and be gone for the others at once."""
        self._stop.set()
        self._thread.join()
        with suppress(ServiceError):  # else they will notice after the lease
            self._registry.forget(self._process)
        self._database.close()

    def _run(self) -> None:
        looks = 0
        while not self._stop.wait(LOOK_INTERVAL):
            looks += 1
            try:
                found = (
                    self._look() if looks % LOOKS_PER_BEAT else self._registry.beat(self._process)
                )
            except ServiceError as error:
                if not self._away:
                    log.warning("the database is away", extra={"why": error.detail})
                self._away = True
                continue
            except Exception:
                log.exception("heartbeat failed")
                continue
            if self._away:
                log.info("the database is back")
                self._away = False
            if found != self._seen:
                self._generation.advance()
                self._seen = found

    def _look(self) -> int:
        with self._database.read() as connection:
            return int(connection.execute(select(gate.c.generation)).scalar_one())
