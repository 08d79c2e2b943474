"""What is kept of every request: an id, a log line, metrics."""

from __future__ import annotations

import re
from random import getrandbits

from prometheus_client import Counter, Histogram

from app.observability.logs import EventLog
from app.observability.metrics import Metrics

log = EventLog("frtsvm.access", "request")

_ACCEPTABLE_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
#: Other methods are counted as one, so that nobody can make up new time series.
_METHODS = frozenset({"GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"})


def id_for(given: bytes | None) -> str:
    """The id that the caller gave the request, if it can stand in a log line, or a new one."""
    if given is not None and _ACCEPTABLE_ID.fullmatch(given):
        return str(given, "ascii")
    return f"{getrandbits(64):016x}"  # to tell requests apart, not to keep a secret


class Recorder:
    """Counts requests, and writes a line about each if that is wanted."""

    def __init__(self, metrics: Metrics, access_log: bool) -> None:
        self._metrics = metrics
        self._access_log = access_log
        self._series: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

    def record(self, method: str, path: str, route: str, status: int, seconds: float) -> None:
        """One request has been answered."""
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
