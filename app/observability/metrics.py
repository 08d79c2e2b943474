"""Prometheus metrics. With several workers they share files, so any worker answers for all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    multiprocess,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from app.errors import ServiceError

_LATENCY = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_TRAINING = (0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800, 3600)

#: Set by `frtsvm serve` before several workers start.
SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"


class Metrics:
    """The counters of one process."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "frtsvm_requests_total",
            "Requests by method, route and status.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self.latency = Histogram(
            "frtsvm_request_seconds",
            "Time to answer, by method and route.",
            ("method", "route"),
            buckets=_LATENCY,
            registry=self._registry,
        )
        self.rows_predicted = Counter(
            "frtsvm_rows_predicted_total", "Rows that got a label.", registry=self._registry
        )
        self.trainings = Counter(
            "frtsvm_trainings_total",
            "Trainings that ended, by outcome.",
            ("outcome",),
            registry=self._registry,
        )
        self.training_seconds = Histogram(
            "frtsvm_training_seconds",
            "Time that trainings ran.",
            buckets=_TRAINING,
            registry=self._registry,
        )
        self.cache_events = Counter(
            "frtsvm_model_cache_total",
            "Model cache: hit, miss, evicted.",
            ("event",),
            registry=self._registry,
        )
        self.cache_models = Gauge(
            "frtsvm_model_cache_models",
            "Models in the cache.",
            registry=self._registry,
            multiprocess_mode="livesum",
        )
        self.cache_bytes = Gauge(
            "frtsvm_model_cache_bytes",
            "Bytes of the models in the cache.",
            registry=self._registry,
            multiprocess_mode="livesum",
        )

    def render(self, jobs_by_state: Callable[[], dict[str, int]]) -> bytes:
        """The text that Prometheus reads."""
        registry = CollectorRegistry()
        if os.environ.get(SHARED_FOLDER):
            multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        else:
            registry = self._registry
        jobs = CollectorRegistry()
        jobs.register(_Jobs(jobs_by_state))
        return generate_latest(registry) + generate_latest(jobs)

    def training_ended(self, outcome: str, seconds: float) -> None:
        """Count a training."""
        self.trainings.labels(outcome).inc()
        self.training_seconds.observe(seconds)

    def cache_event(self, event: str) -> None:
        """Count a look into the cache."""
        self.cache_events.labels(event).inc()


class _Jobs(Collector):
    """Asked when someone looks: the database knows, and all workers agree."""

    def __init__(self, jobs_by_state: Callable[[], dict[str, int]]) -> None:
        self._jobs_by_state = jobs_by_state

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Jobs in the database by state; `queued` is the length of the queue. While the database is
        away there are none, but all other metrics are."""
        family = GaugeMetricFamily("frtsvm_jobs", "Jobs by state.", labels=["state"])
        try:
            for state, count in self._jobs_by_state().items():
                family.add_metric([state], count)
        except ServiceError:
            is_up = False
        else:
            is_up = True
            yield family
        yield GaugeMetricFamily("frtsvm_store_up", "Whether the database answers.", value=is_up)
