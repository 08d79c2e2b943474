"""Measure how long heartbeat counters have not moved, by the monotonic clock of the observer.

Timestamps of different machines are never compared, so a wrong clock cannot end a job.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Hashable

#: Seconds that one observation adds at most. After a pause (the database was unreachable, or this
#: process was stopped) the observed processes get the full time to send a heartbeat again.
LONGEST_STEP = 5.0


class StallDetector:
    """Remembers each counter and for how many seconds it has not moved."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: dict[Hashable, tuple[int, float, float]] = {}

    def seconds_stalled(self, key: Hashable, beat: int) -> float:
        """Observe the counter `key`; return for how many seconds it has stayed at `beat`."""
        now = self._clock()
        before, stalled, checked = self._seen.get(key, (beat, 0.0, now))
        stalled = stalled + min(now - checked, LONGEST_STEP) if before == beat else 0.0
        self._seen[key] = (beat, stalled, now)
        return stalled

    def retain(self, keys: Collection[Hashable]) -> None:
        """Drop all counters except these."""
        self._seen = {key: value for key, value in self._seen.items() if key in keys}
