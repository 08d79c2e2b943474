"""Validates training requests and queues them as jobs."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.errors import Flaw, MemoryBudgetExceeded
from app.jobs.runner import JobRunner
from app.pipeline.data import Labels, TrainingData, require_trainable
from app.pipeline.memory import estimate_bytes
from app.schemas.table import Table
from app.schemas.training import TrainingOptions, TrainingRequest
from app.services.limits import DataLimits, SearchLimits
from app.store.database import storage_error
from app.store.jobs import JobRecord
from app.store.store import Store

log = logging.getLogger("frtsvm.training")


@dataclass(frozen=True)
class TrainingLimits:
    """Limits on training jobs: `queue` counts waiting jobs, `memory` is in bytes per job."""

    data: DataLimits
    queue: int
    memory: int
    search: SearchLimits


class TrainingService:
    """Checks a training request, estimates its memory, stores its data durably, and queues it."""

    def __init__(self, store: Store, runner: JobRunner, limits: TrainingLimits) -> None:
        self._store = store
        self._runner = runner
        self.limits = limits

    def require_room(self) -> None:
        """Raise `QueueFull` if the queue is full, before the body is parsed."""
        self._store.jobs.require_room(self.limits.queue)

    def submit(self, request: TrainingRequest, request_id: str) -> JobRecord:
        """Queue a training job for a JSON request."""
        table = request.X
        if request.feature_names is not None:
            table = Table(table.numbers, tuple(request.feature_names), table.texts)
        return self.submit_table(
            request.model, table, request.y, request.sample_weight, request.options(), request_id
        )

    def submit_table(
        self,
        model: str,
        table: Table,
        labels: Labels,
        weights: NDArray[np.float64] | None,
        options: TrainingOptions,
        request_id: str,
    ) -> JobRecord:
        """Queue a training job for a table, its labels and its options."""
        self.limits.data.require(table)
        if options.search is not None:
            applied = self.limits.search.applied(options.search)
            options = options.model_copy(update={"search": applied})
        data = TrainingData.build(table, labels, weights)
        self.limits.data.require_classes(len(data.classes))
        require_trainable(data, options)
        estimated = self._require_memory(data, options)
        self.require_room()
        try:
            staged = self._store.files.stage(data.to_state())
        except OSError as error:
            raise storage_error(error) from error
        record = self._store.jobs.enqueue(
            model,
            options.stored(),
            staged,
            estimated,
            request_id,
            self.limits.queue,
        )
        log.info(
            "job queued",
            extra={"job": record.id, "model": model, "rows": table.n_rows, "bytes": estimated},
        )
        self._runner.submit(record.id)
        return record

    def _require_memory(self, data: TrainingData, options: TrainingOptions) -> int:
        needed = estimate_bytes(data, options)
        if needed > self.limits.memory:
            detail = (
                f"The training would need about {needed} bytes of memory; {self.limits.memory} are "
                "allowed. Send fewer rows or features, lower `rank`, or raise "
                "FRTSVM_TRAINING_MEMORY."
            )
            numbers = {"estimated_bytes": needed, "allowed_bytes": self.limits.memory}
            flaw = Flaw("Send fewer rows or features, or lower `rank`.", "X")
            raise MemoryBudgetExceeded(detail, flaws=[flaw], numbers=numbers)
        return needed
