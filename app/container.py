"""Creates, starts and closes the objects of the service."""

from __future__ import annotations

import logging
import threading
import time
from contextlib import ExitStack

from app.errors import ShuttingDown
from app.jobs.engine import EmbeddedEngine
from app.jobs.runner import JobEngine
from app.observability.metrics import Metrics
from app.schemas.jobs import JobState
from app.services.access import Access
from app.services.inference import InferenceService
from app.services.jobs import JobService
from app.services.limits import DataLimits, SearchLimits
from app.services.loaded import ModelCache
from app.services.models import ModelService
from app.services.prediction import PredictionService
from app.services.repository import ModelRepository
from app.services.statistics import InferenceStatistics
from app.services.training import TrainingLimits, TrainingService
from app.settings import Settings
from app.store.store import Store

log = logging.getLogger("frtsvm")


class Container:
    """All objects of one service. `close` releases everything that was created and started."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.draining = threading.Event()
        self._draining_since: float | None = None
        self._stack = ExitStack()
        try:
            self._build(settings)
        except BaseException:
            self._stack.close()
            raise

    def _build(self, settings: Settings) -> None:
        self.metrics = Metrics()
        self.store = self._stack.enter_context(Store.of(settings))
        self.engine = self._engine(settings)
        limits = DataLimits(
            settings.max_rows, settings.max_features, settings.max_cells, settings.max_classes
        )
        self.access = Access(settings.api_keys)
        self.cache = ModelCache(
            self.store, settings.cache_models, settings.cache_bytes, self.metrics.cache_event
        )
        self.predictions = PredictionService(self.cache, limits, self.metrics.rows_predicted.inc)
        statistics = InferenceStatistics()
        self.inference = InferenceService(
            self.cache, limits, statistics, self.metrics.rows_predicted.inc
        )
        self.repository = ModelRepository(self.store, self.cache, statistics)
        self.trainings = TrainingService(
            self.store,
            self.engine,
            TrainingLimits(
                limits,
                settings.queue_size,
                settings.training_memory,
                SearchLimits.within(
                    settings.training_timeout,
                    default_seconds=settings.search_seconds,
                    seconds=settings.max_search_seconds,
                    configurations=settings.max_search_configurations,
                ),
            ),
        )
        self.models = ModelService(self.store)
        self.jobs = JobService(self.store, self.engine)

    def _engine(self, settings: Settings) -> JobEngine:
        if settings.dask_scheduler is not None:
            # Imported here because the libraries of the cluster are optional.
            from app.jobs.cluster.engine import ClusterEngine

            return ClusterEngine(
                self.store,
                settings.dask_scheduler,
                history=settings.job_history,
                lease=settings.lease_timeout,
            )
        return EmbeddedEngine(
            self.store,
            slots=settings.training_slots,
            preload=settings.training_preload,
            timeout=settings.training_timeout,
            memory=settings.training_memory,
            history=settings.job_history,
            lease=settings.lease_timeout,
            observe=self.metrics.training_ended,
        )

    def start(self) -> None:
        """Start running jobs."""
        self._stack.callback(self._stop_engine)
        self.engine.start()

    def drain(self) -> None:
        """Prepare to stop: fail the readiness check, end event streams, refuse new trainings."""
        if self._draining_since is None:
            self._draining_since = time.monotonic()
        self.draining.set()

    def require_running(self) -> None:
        """Raise `ShuttingDown` if `drain` was called."""
        if self.draining.is_set():
            raise ShuttingDown("The server is shutting down. Try again, or use another server.")

    def _stop_engine(self) -> None:
        """Stop the engine; trainings get what the requests have left of the grace period."""
        spent = time.monotonic() - (self._draining_since or time.monotonic())
        self.engine.stop(max(0.0, self.settings.shutdown_grace - spent))

    def render_metrics(self) -> bytes:
        """Return the metrics of all web processes and of the store in Prometheus's text format."""
        models, size = self.cache.size()
        self.metrics.cache_models.set(models)
        self.metrics.cache_bytes.set(size)
        return self.metrics.render(self._jobs_by_state)

    def _jobs_by_state(self) -> dict[str, int]:
        counts = self.store.jobs.counts()
        return {state.value: counts.get(state, 0) for state in JobState}

    def close(self) -> None:
        """Stop the jobs, then close the store."""
        self.drain()
        self._stack.close()
