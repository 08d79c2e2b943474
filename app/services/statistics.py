"""Statistics of the Open Inference Protocol in this process, by model version."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field

from app.schemas.v2 import BatchDurations, Duration, InferenceDurations, ModelStatistics

#: Statistics are kept for at most this many versions, and at most this many batch sizes of each.
#: The least recently used one is dropped first.
MAX_VERSIONS = 1000
MAX_BATCH_SIZES = 64


@dataclass
class _Total:
    """A number of events and their total time in nanoseconds."""

    count: int = 0
    ns: int = 0

    def add(self, ns: int) -> None:
        self.count += 1
        self.ns += ns

    def show(self) -> Duration:
        return Duration(count=self.count, ns=self.ns)


@dataclass(frozen=True)
class Stages:
    """Number of rows of one successful request, and the nanoseconds of each stage."""

    n_rows: int
    compute_input: int
    compute_infer: int
    compute_output: int


@dataclass
class _Computed:
    """The totals of the three stages."""

    input: _Total = field(default_factory=_Total)
    infer: _Total = field(default_factory=_Total)
    output: _Total = field(default_factory=_Total)

    def add(self, stages: Stages) -> None:
        self.input.add(stages.compute_input)
        self.infer.add(stages.compute_infer)
        self.output.add(stages.compute_output)


@dataclass
class _Version:
    """The totals of one version."""

    last_inference: int = 0
    n_rows: int = 0
    success: _Total = field(default_factory=_Total)
    fail: _Total = field(default_factory=_Total)
    computed: _Computed = field(default_factory=_Computed)
    batches: OrderedDict[int, _Computed] = field(default_factory=OrderedDict)


class InferenceStatistics:
    """Counts and times since the start of the process."""

    def __init__(self) -> None:
        self._versions: OrderedDict[tuple[str, int], _Version] = OrderedDict()
        self._lock = threading.Lock()

    def succeeded(self, model: str, version: int, stages: Stages) -> None:
        """Count a successful request."""
        total = stages.compute_input + stages.compute_infer + stages.compute_output
        with self._lock:
            found = self._version(model, version)
            found.last_inference = time.time_ns() // 1_000_000
            found.n_rows += stages.n_rows
            found.success.add(total)
            found.computed.add(stages)
            batch = found.batches.setdefault(stages.n_rows, _Computed())
            found.batches.move_to_end(stages.n_rows)
            batch.add(stages)
            if len(found.batches) > MAX_BATCH_SIZES:
                found.batches.popitem(last=False)

    def failed(self, model: str, version: int, ns: int) -> None:
        """Count a failed request."""
        with self._lock:
            self._version(model, version).fail.add(ns)

    def known(self, model: str | None = None) -> list[tuple[str, int]]:
        """Return the versions with statistics, sorted by name and number."""
        with self._lock:
            return sorted(key for key in self._versions if model is None or key[0] == model)

    def show(self, model: str, version: int) -> ModelStatistics:
        """Return the totals of one version, zero if it was never used."""
        with self._lock:
            found = self._versions.get((model, version), _Version())
            executions = found.computed.infer.count
            nothing = Duration(count=0, ns=0)
            return ModelStatistics(
                name=model,
                version=str(version),
                last_inference=found.last_inference,
                inference_count=found.n_rows,
                execution_count=executions,
                inference_stats=InferenceDurations(
                    success=found.success.show(),
                    fail=found.fail.show(),
                    queue=Duration(count=executions, ns=0),
                    compute_input=found.computed.input.show(),
                    compute_infer=found.computed.infer.show(),
                    compute_output=found.computed.output.show(),
                    cache_hit=nothing,
                    cache_miss=nothing,
                ),
                batch_stats=[
                    BatchDurations(
                        batch_size=size,
                        compute_input=batch.input.show(),
                        compute_infer=batch.infer.show(),
                        compute_output=batch.output.show(),
                    )
                    for size, batch in sorted(found.batches.items())
                ],
            )

    def _version(self, model: str, version: int) -> _Version:
        key = model, version
        found = self._versions.setdefault(key, _Version())
        self._versions.move_to_end(key)
        if len(self._versions) > MAX_VERSIONS:
            self._versions.popitem(last=False)
        return found
