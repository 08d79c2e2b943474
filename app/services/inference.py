"""The inference protocol: tensors in, tensors out."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter_ns

from app.errors import ServiceError
from app.pipeline.predict import Predictor
from app.services.limits import DataLimits
from app.services.loaded import ModelCache
from app.services.signatures import select_outputs
from app.services.statistics import InferenceStatistics, Stages
from app.services.tensors import table_of
from app.wire.v2.requests import parse_request
from app.wire.v2.responses import Encoded, encode_response


class InferenceService:
    """Answers inference requests with whatever version a path means."""

    def __init__(
        self,
        cache: ModelCache,
        limits: DataLimits,
        statistics: InferenceStatistics,
        count_rows: Callable[[int], None],
    ) -> None:
        self._cache = cache
        self._limits = limits
        self._statistics = statistics
        self._count_rows = count_rows

    def is_quick(self, model: str, version: int | None, n_bytes: int) -> bool:
        """Whether answering a body of that size takes no longer than asking a thread for it."""
        return self._cache.is_quick((model, version, None), n_bytes)

    def load(self, model: str, version: int | None) -> int:
        """Load a version into this process; returns its number."""
        return self._cache.get((model, version, None))[0]

    def infer(
        self, model: str, version: int | None, body: bytes | bytearray, header_length: int | None
    ) -> Encoded:
        """The body of the answer to the body of a request."""
        started = perf_counter_ns()
        number, predictor = self._cache.get((model, version, None))
        try:
            answer, stages = self._compute(model, number, predictor, body, header_length)
        except ServiceError:
            self._statistics.failed(model, number, perf_counter_ns() - started)
            raise
        self._statistics.succeeded(model, number, stages)
        self._count_rows(stages.n_rows)
        return answer

    def _compute(
        self,
        model: str,
        version: int,
        predictor: Predictor,
        body: bytes | bytearray,
        header_length: int | None,
    ) -> tuple[Encoded, Stages]:
        started = perf_counter_ns()
        request = parse_request(body, header_length)
        table = table_of(request.tensors, predictor.names, predictor.n_columns, self._limits)
        ready = perf_counter_ns()
        prediction = predictor.predict(table)
        predicted = perf_counter_ns()
        outputs = select_outputs(prediction, predictor.classes, request.outputs, request.binary)
        answer = encode_response(model, version, request.id, outputs)
        ended = perf_counter_ns()
        return answer, Stages(table.n_rows, ready - started, predicted - ready, ended - predicted)
