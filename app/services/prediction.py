"""Rows in, labels out, and the version that gave them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.pipeline.predict import Prediction, Predictor
from app.schemas.prediction import OUTPUTS, PredictionQuery, PredictionRequest
from app.schemas.table import Table
from app.services.limits import DataLimits
from app.services.loaded import ModelCache, Target, is_quick
from app.services.tables import BodyKind, read_rows

Loaded = tuple[int, Predictor]


@dataclass(frozen=True)
class Answer:
    """A prediction and where it comes from."""

    model: str
    version: int
    prediction: Prediction
    classes: list[Any]
    outputs: Sequence[str]
    """What of the prediction is asked for."""

    @property
    def asked(self) -> dict[str, Any]:
        """That, by name, in the order of an answer; None where the version has no such thing."""
        return {name: getattr(self.prediction, name) for name in OUTPUTS if name in self.outputs}


class PredictionService:
    """Predicts with whatever version a request means."""

    def __init__(
        self, cache: ModelCache, limits: DataLimits, count_rows: Callable[[int], None]
    ) -> None:
        self._cache = cache
        self._limits = limits
        self._count_rows = count_rows

    def quick(self, request: PredictionRequest) -> Loaded | None:
        """The version, if it is loaded and the answer takes no longer than asking a thread for it."""
        loaded = self._cache.ready(_target(request))
        if loaded is None or not is_quick(loaded[1], request.X.n_rows):
            return None
        return loaded

    def predict(self, request: PredictionRequest, loaded: Loaded | None = None) -> Answer:
        """Labels, scores and distances."""
        version, predictor = loaded or self._cache.get(_target(request))
        outputs = OUTPUTS if request.outputs is None else request.outputs
        return self._answer(request.model, version, predictor, request.X, outputs)

    def is_quick(self, query: PredictionQuery, n_bytes: int) -> bool:
        """The same for an array of that size."""
        return self._cache.is_quick((query.model, query.version, query.alias), n_bytes)

    def predict_body(
        self, query: PredictionQuery, kind: BodyKind, body: bytes | bytearray
    ) -> Answer:
        """The same for rows that are not JSON."""
        version, predictor = self._cache.get((query.model, query.version, query.alias))
        table = read_rows(kind, body, predictor.n_columns, self._limits)
        if predictor.names is None and table.names is not None:
            table = replace(table, names=None)  # columns count by their place
        return self._answer(query.model, version, predictor, table, OUTPUTS)

    def _answer(
        self,
        model: str,
        version: int,
        predictor: Predictor,
        table: Table,
        outputs: Sequence[str],
    ) -> Answer:
        self._limits.require(table)
        prediction = predictor.predict(table)
        self._count_rows(table.n_rows)
        return Answer(model, version, prediction, predictor.classes, outputs)


def _target(request: PredictionRequest) -> Target:
    return request.model, request.version, request.alias
