"""The processes of several workers, as uvicorn's supervisor sees them."""

from __future__ import annotations

import pickle
import time

from uvicorn.supervisors import multiprocess


class Worker(multiprocess.Process):
    """A worker that is asked for a sign of life and never waited for.

    uvicorn's own waits for each answer, also for that of a worker which dies meanwhile or has only
    begun to start: for as long as it is patient, no other worker is replaced and no signal is heard.
    """

    _asked: float | None = None
    """When, if there was no answer yet."""

    def is_alive(self, timeout: float = 5) -> bool:
        """Whether it runs and has been silent for less than so many seconds."""
        if not self.process.is_alive():
            return False
        try:
            while self.parent_conn.poll():
                self.parent_conn.recv()
                self._asked = None
            if self._asked is None:
                self.parent_conn.send(b"ping")
                self._asked = time.monotonic()
        except (OSError, EOFError, pickle.UnpicklingError):
            return False
        return time.monotonic() - self._asked < timeout


def never_wait_for_workers() -> None:
    """Let uvicorn's supervisor make its workers of this kind."""
    multiprocess.Process = Worker  # type: ignore[misc]
