"""Which processes of all machines live: each moves a counter in the database while it does."""

from __future__ import annotations

import time
from collections.abc import Callable

from sqlalchemy import delete, insert, select, text, update

from app.store.database import Database
from app.store.schema import gate, processes
from app.store.stall_detector import StallDetector


class ProcessRegistry:
    """The counters, and for how long each has stood still while this process looked."""

    def __init__(
        self, database: Database, lease: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._database = database
        self._lease = lease
        self._stall_detector = StallDetector(clock)

    def beat(self, process: str) -> int:
        """Show that a process lives; returns the generation of the models, to save a question."""
        with self._database.write() as connection:
            # Losing the latest beats in a crash of the server does not matter.
            connection.execute(text("SET LOCAL synchronous_commit = off"))
            moved = connection.execute(
                update(processes).where(processes.c.id == process).values(beat=processes.c.beat + 1)
            )
            if moved.rowcount == 0:  # the first one, or someone took us for dead
                connection.execute(insert(processes).values(id=process, beat=1))
            return int(connection.execute(select(gate.c.generation)).scalar_one())

    def is_gone(self, process: str) -> bool:
        """No counter, or one that has stood still for longer than the lease."""
        with self._database.read() as connection:
            beat = connection.execute(
                select(processes.c.beat).where(processes.c.id == process)
            ).scalar()
        return beat is None or self._stall_detector.seconds_stalled(process, beat) > self._lease

    def known(self) -> list[str]:
        """All processes that have a counter."""
        with self._database.read() as connection:
            return list(connection.execute(select(processes.c.id)).scalars())

    def still(self) -> list[str]:
        """All processes whose counter has stood still for longer than the lease."""
        with self._database.read() as connection:
            found = connection.execute(select(processes.c.id, processes.c.beat)).all()
        self._stall_detector.keep({row.id for row in found})
        return [
            row.id
            for row in found
            if self._stall_detector.seconds_stalled(row.id, row.beat) > self._lease
        ]

    def forget(self, process: str) -> None:
        """Remove the counter of a process that is gone."""
        with self._database.write() as connection:
            connection.execute(delete(processes).where(processes.c.id == process))
