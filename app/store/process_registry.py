"""Registry of the processes on all machines, each with a heartbeat counter in the database."""

from __future__ import annotations

import time
from collections.abc import Callable

from sqlalchemy import delete, insert, select, text, update

from app.store.database import Database
from app.store.schema import gate, processes
from app.store.stall_detector import StallDetector


class ProcessRegistry:
    """Writes and observes heartbeat counters.

    A process whose counter has not moved for longer than the lease (FRTSVM_LEASE_TIMEOUT) counts as
    dead.
    """

    def __init__(
        self, database: Database, lease: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._database = database
        self._lease = lease
        self._stall_detector = StallDetector(clock)

    def heartbeat(self, process: str) -> int:
        """Increment the counter of a process.

        Returns the generation of the models, to save a separate query.
        """
        with self._database.write() as connection:
            # Losing the latest heartbeats in a crash of PostgreSQL does no harm.
            connection.execute(text("SET LOCAL synchronous_commit = off"))
            moved = connection.execute(
                update(processes).where(processes.c.id == process).values(beat=processes.c.beat + 1)
            )
            if moved.rowcount == 0:  # first heartbeat, or this process was declared dead
                connection.execute(insert(processes).values(id=process, beat=1))
            return int(connection.execute(select(gate.c.generation)).scalar_one())

    def is_gone(self, process: str) -> bool:
        """Whether a process has no counter, or one that has not moved for longer than the lease."""
        with self._database.read() as connection:
            beat = connection.execute(
                select(processes.c.beat).where(processes.c.id == process)
            ).scalar()
        return beat is None or self._stall_detector.seconds_stalled(process, beat) > self._lease

    def known(self) -> list[str]:
        """Return the ids of all processes that have a counter."""
        with self._database.read() as connection:
            return list(connection.execute(select(processes.c.id)).scalars())

    def stalled(self) -> list[str]:
        """Return the processes whose counter has not moved for longer than the lease."""
        with self._database.read() as connection:
            found = connection.execute(select(processes.c.id, processes.c.beat)).all()
        self._stall_detector.retain({row.id for row in found})
        return [
            row.id
            for row in found
            if self._stall_detector.seconds_stalled(row.id, row.beat) > self._lease
        ]

    def forget(self, process: str) -> None:
        """Remove the counter of a process that has ended."""
        with self._database.write() as connection:
            connection.execute(delete(processes).where(processes.c.id == process))
