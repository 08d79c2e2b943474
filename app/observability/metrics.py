"""Prometheus metrics. Several web processes share them through files, so each reports all."""

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

#: Environment variable that `frtsvm serve` sets before it starts several web processes.
SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"


class Metrics:
    """The metrics of one process."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "frtsvm_requests_total",
            "Number of requests, by method, route and status.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self.latency = Histogram(
            "frtsvm_request_seconds",
            "Duration of requests in seconds, by method and route.",
            ("method", "route"),
            buckets=_LATENCY,
            registry=self._registry,
        )
        self.rows_predicted = Counter(
            "frtsvm_rows_predicted_total", "Number of rows predicted.", registry=self._registry
        )
        self.trainings = Counter(
            "frtsvm_trainings_total",
            "Number of ended training jobs, by outcome, without those run by a cluster.",
            ("outcome",),
            registry=self._registry,
        )
        self.training_seconds = Histogram(
            "frtsvm_training_seconds",
            "Duration of ended training jobs in seconds, without those run by a cluster.",
            buckets=_TRAINING,
            registry=self._registry,
        )
        self.cache_events = Counter(
            "frtsvm_model_cache_total",
            "Number of hits, misses and evictions of the model cache. Repeated lookups of the same "
            "name are counted only after a change.",
            ("event",),
            registry=self._registry,
        )
        self.cache_models = Gauge(
            "frtsvm_model_cache_models",
            "Number of models in the cache.",
            registry=self._registry,
            multiprocess_mode="livesum",
        )
        self.cache_bytes = Gauge(
            "frtsvm_model_cache_bytes",
            "Size of the models in the cache in bytes.",
            registry=self._registry,
            multiprocess_mode="livesum",
        )

    def render(self, jobs_by_state: Callable[[], dict[str, int]]) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        registry = CollectorRegistry()
        if os.environ.get(SHARED_FOLDER):
            multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        else:
            registry = self._registry
        jobs = CollectorRegistry()
        jobs.register(_Jobs(jobs_by_state))
        return generate_latest(registry) + generate_latest(jobs)

    def training_ended(self, outcome: str, seconds: float) -> None:
        """Count an ended training job and its duration."""
        self.trainings.labels(outcome).inc()
        self.training_seconds.observe(seconds)

    def cache_event(self, event: str) -> None:
        """Count an event of the model cache."""
        self.cache_events.labels(event).inc()


class _Jobs(Collector):
    """Job counts, read from the database at every scrape: all web processes report the same."""

    def __init__(self, jobs_by_state: Callable[[], dict[str, int]]) -> None:
        self._jobs_by_state = jobs_by_state

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Return the number of jobs by state, and whether the database responds.

        The number of jobs in the state `queued` is the length of the queue. While the database is
        unavailable, `frtsvm_jobs` is missing and all other metrics are reported.
        """
        family = GaugeMetricFamily(
            "frtsvm_jobs", "Number of jobs in the database, by state.", labels=["state"]
        )
        try:
            for state, count in self._jobs_by_state().items():
                family.add_metric([state], count)
        except ServiceError:
            is_up = False
        else:
            is_up = True
            yield family
        about = "1 if the database responds, 0 otherwise."
        yield GaugeMetricFamily("frtsvm_store_up", about, value=is_up)
