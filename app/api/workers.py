"""Health check of worker processes by uvicorn's supervisor, without blocking."""

from __future__ import annotations

import pickle
import time

from uvicorn.supervisors import multiprocess


class Worker(multiprocess.Process):
    """Worker process whose health check does not block the supervisor.

    uvicorn's own class waits for the reply to each ping, even if the worker has just died or is
    still starting. Until the timeout, the supervisor then replaces no other worker and handles no
    signal.
    """

    _pinged_at: float | None = None
    """Time of the ping that has no reply yet."""

    def is_alive(self, timeout: float = 5) -> bool:
        """Return whether the process runs and has answered every ping within `timeout` seconds."""
        if not self.process.is_alive():
            return False
        try:
            while self.parent_conn.poll():
                self.parent_conn.recv()
                self._pinged_at = None
            if self._pinged_at is None:
                self.parent_conn.send(b"ping")
                self._pinged_at = time.monotonic()
        except (OSError, EOFError, pickle.UnpicklingError):
            return False
        return time.monotonic() - self._pinged_at < timeout


def use_nonblocking_workers() -> None:
    """Make uvicorn's supervisor create its workers from the class `Worker`."""
    multiprocess.Process = Worker  # type: ignore[misc]
