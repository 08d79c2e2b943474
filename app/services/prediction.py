"""Predictions with the version that a request selects."""

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
class PredictionResult:
    """A prediction and the version that made it."""

    model: str
    version: int
    prediction: Prediction
    classes: list[Any]
    outputs: Sequence[str]
    """Names of the requested outputs."""

    @property
    def requested(self) -> dict[str, Any]:
        """The requested outputs by name, in the order of `OUTPUTS`; None if the model has none."""
        return {name: getattr(self.prediction, name) for name in OUTPUTS if name in self.outputs}


class PredictionService:
    """Predicts with the version that a request selects."""

    def __init__(
        self, cache: ModelCache, limits: DataLimits, count_rows: Callable[[int], None]
    ) -> None:
        self._cache = cache
        self._limits = limits
        self._count_rows = count_rows

    def quick(self, request: PredictionRequest) -> Loaded | None:
        """Return the version if it is loaded and predicts quickly enough for the event loop."""
        loaded = self._cache.ready(_target(request))
        if loaded is None or not is_quick(loaded[1], request.X.n_rows):
            return None
        return loaded

    def predict(self, request: PredictionRequest, loaded: Loaded | None = None) -> PredictionResult:
        """Predict the rows of a JSON request."""
        version, predictor = loaded or self._cache.get(_target(request))
        outputs = OUTPUTS if request.outputs is None else request.outputs
        return self._answer(request.model, version, predictor, request.X, outputs)

    def is_quick(self, query: PredictionQuery, n_bytes: int) -> bool:
        """Whether the model is loaded and quick enough for an array of `n_bytes` bytes."""
        return self._cache.is_quick((query.model, query.version, query.alias), n_bytes)

    def predict_body(
        self, query: PredictionQuery, kind: BodyKind, body: bytes | bytearray
    ) -> PredictionResult:
        """Predict rows in a format other than JSON."""
        version, predictor = self._cache.get((query.model, query.version, query.alias))
        table = read_rows(kind, body, predictor.n_columns, self._limits)
        if predictor.names is None and table.names is not None:
            # The model has no feature names, so columns are matched by position.
            table = replace(table, names=None)
        return self._answer(query.model, version, predictor, table, OUTPUTS)

    def _answer(
        self,
        model: str,
        version: int,
        predictor: Predictor,
        table: Table,
        outputs: Sequence[str],
    ) -> PredictionResult:
        self._limits.require(table)
        prediction = predictor.predict(table)
        self._count_rows(table.n_rows)
        return PredictionResult(model, version, prediction, predictor.classes, outputs)


def _target(request: PredictionRequest) -> Target:
    return request.model, request.version, request.alias
