"""Rows in, labels out, and the version that gave them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.pipeline.predict import Prediction
from app.schemas.prediction import PredictionRequest
from app.services.limits import DataLimits
from app.services.loaded import ModelCache, Target


@dataclass(frozen=True)
class Answer:
    """A prediction and where it comes from."""

    model: str
    version: int
    prediction: Prediction


class PredictionService:
    """Predicts with whatever version a request means."""

    def __init__(
        self, cache: ModelCache, limits: DataLimits, count_rows: Callable[[int], None]
    ) -> None:
        self._cache = cache
        self._limits = limits
        self._count_rows = count_rows

    def is_ready(self, request: PredictionRequest) -> bool:
        """Whether the version is known and loaded, so that predicting will not wait for a disk."""
        return self._cache.ready(_target(request)) is not None

    def predict(self, request: PredictionRequest) -> Answer:
        """Labels, scores and distances."""
        self._limits.require(request.X)
        version, predictor = self._cache.get(_target(request))
        prediction = predictor.predict(request.X)
        self._count_rows(request.X.n_rows)
        return Answer(request.model, version, prediction)


def _target(request: PredictionRequest) -> Target:
    return request.model, request.version, request.alias
