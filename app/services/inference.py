"""Inference requests of the Open Inference Protocol: tensors in, tensors out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from time import perf_counter_ns

from app.errors import ServiceError
from app.pipeline.predict import Predictor
from app.schemas.table import Table
from app.services.limits import DataLimits
from app.services.loaded import ModelCache, is_quick
from app.services.signatures import select_outputs
from app.services.statistics import InferenceStatistics, Stages
from app.services.tensors import table_of
from app.wire.v2.requests import ParsedRequest, parse_if_quick, parse_request
from app.wire.v2.responses import Encoded, encode_response


@dataclass(frozen=True, slots=True)
class InferenceCall:
    """A parsed inference request and the model version that serves it."""

    model: str
    version: int
    predictor: Predictor
    request: ParsedRequest
    table: Table
    parse_ns: int
    """Time to parse the request, in nanoseconds."""

    @property
    def is_quick(self) -> bool:
        """Whether the prediction is quick enough for the event loop."""
        return is_quick(self.predictor, self.table.n_rows)


class InferenceService:
    """Serves inference requests with the version that their path selects."""

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

    def load(self, model: str, version: int | None) -> int:
        """Load a version into this process and return its number."""
        return self._cache.get((model, version, None))[0]

    def read(
        self, model: str, version: int | None, body: bytes | bytearray, header_length: int | None
    ) -> InferenceCall:
        """Parse a request of any size for any model."""
        loaded = self._cache.get((model, version, None))
        call = self._read(model, loaded, partial(parse_request, body, header_length))
        assert call is not None
        return call

    def read_if_quick(
        self, model: str, version: int | None, body: bytes | bytearray, header_length: int | None
    ) -> InferenceCall | None:
        """Parse a request if the model is loaded and parsing is quick enough for the event loop.

        Otherwise return None.
        """
        loaded = self._cache.ready((model, version, None))
        if loaded is None:
            return None
        return self._read(model, loaded, partial(parse_if_quick, body, header_length))

    def _read(
        self, model: str, loaded: tuple[int, Predictor], parse: Callable[[], ParsedRequest | None]
    ) -> InferenceCall | None:
        number, predictor = loaded
        started = perf_counter_ns()
        with self._counting_failure(model, number):
            request = parse()
            if request is None:
                return None
            table = table_of(request.tensors, predictor.names, predictor.n_columns, self._limits)
        return InferenceCall(model, number, predictor, request, table, perf_counter_ns() - started)

    def answer(self, call: InferenceCall) -> Encoded:
        """Return the body of the response."""
        predictor, request = call.predictor, call.request
        started = perf_counter_ns()
        with self._counting_failure(call.model, call.version):
            prediction = predictor.predict(call.table)
            predicted = perf_counter_ns()
            outputs = select_outputs(prediction, predictor.classes, request.outputs, request.binary)
            answer = encode_response(call.model, call.version, request.id, outputs)
        ended = perf_counter_ns()
        n_rows = call.table.n_rows
        stages = Stages(n_rows, call.parse_ns, predicted - started, ended - predicted)
        self._statistics.succeeded(call.model, call.version, stages)
        self._count_rows(n_rows)
        return answer

    @contextmanager
    def _counting_failure(self, model: str, version: int) -> Iterator[None]:
        started = perf_counter_ns()
        try:
            yield
        except ServiceError:
            self._statistics.failed(model, version, perf_counter_ns() - started)
            raise
