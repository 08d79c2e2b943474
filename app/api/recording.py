"""Records of each request: its id, a line in the access log, and metrics."""

from __future__ import annotations

import re
from random import getrandbits

from prometheus_client import Counter, Histogram

from app.observability.logs import EventLog
from app.observability.metrics import Metrics

log = EventLog("frtsvm.access", "request")

_ACCEPTABLE_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
#: Other methods are counted as `other`, so that a client cannot create new time series.
_METHODS = frozenset({"GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"})


def id_for(given: bytes | None) -> str:
    """Return the id that the client sent if it is safe in a log line, else a new one."""
    if given is not None and _ACCEPTABLE_ID.fullmatch(given):
        return str(given, "ascii")
    return f"{getrandbits(64):016x}"  # an identifier, not a secret


class Recorder:
    """Counts requests, and writes a line about each to the access log if that is enabled."""

    def __init__(self, metrics: Metrics, access_log: bool) -> None:
        self._metrics = metrics
        self._access_log = access_log
        self._series: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

    def record(self, method: str, path: str, route: str, status: int, seconds: float) -> None:
        """Record a request that was responded to in `seconds`."""
        method = method if method in _METHODS else "other"
        series = self._series.get((method, route, status))
        if series is None:
            series = self._series[method, route, status] = (
                self._metrics.requests.labels(method, route, str(status)),
                self._metrics.latency.labels(method, route),
            )
        series[0].inc()
        series[1].observe(seconds)
        if self._access_log:
            log.write(method=method, path=path, status=status, ms=round(seconds * 1000, 2))
