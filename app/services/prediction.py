"""Rows in, labels out, and the version that gave them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.pipeline.predict import Prediction, Predictor
from app.schemas.prediction import PredictionRequest
from app.services.limits import DataLimits
from app.services.loaded import ModelCache, Target

Loaded = tuple[int, Predictor]

#: Multiplications that take about a millisecond; more are done in a thread.
QUICK_WORK = 4_000_000


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

    def quick(self, request: PredictionRequest) -> Loaded | None:
        """The version, if it is loaded and the answer takes no longer than asking a thread for it."""
        loaded = self._cache.ready(_target(request))
        if loaded is None or request.X.n_rows * loaded[1].work_per_row > QUICK_WORK:
            return None
        return loaded

    def predict(self, request: PredictionRequest, loaded: Loaded | None = None) -> Answer:
        """Labels, scores and distances."""
        self._limits.require(request.X)
        version, predictor = loaded or self._cache.get(_target(request))
        prediction = predictor.predict(request.X)
        self._count_rows(request.X.n_rows)
        return Answer(request.model, version, prediction)


def _target(request: PredictionRequest) -> Target:
    return request.model, request.version, request.alias
