"""How long counters have stood still, by the clock of whoever looks at them.

No date is compared with any other: a wrong clock, here or there, can end nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Hashable

#: Seconds that one look accounts for at most. After a pause (the database was away, this process
#: was stopped) the others get the time to show that they live, as if nothing had been.
LONGEST_STEP = 5.0


class StallDetector:
    """Remembers counters from look to look."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: dict[Hashable, tuple[int, float, float]] = {}

    def seconds_stalled(self, key: Hashable, beat: int) -> float:
        """Seconds for which the counter `key` has been seen at `beat`."""
        now = self._clock()
        before, still, looked = self._seen.get(key, (beat, 0.0, now))
        still = still + min(now - looked, LONGEST_STEP) if before == beat else 0.0
        self._seen[key] = (beat, still, now)
        return still

    def keep(self, keys: Collection[Hashable]) -> None:
        """Forget all but these."""
        self._seen = {key: value for key, value in self._seen.items() if key in keys}
