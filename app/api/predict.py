"""POST /predict."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from app import errors
from app.api.bodies import JSON, json_body, media_type_of, off_the_loop, parse
from app.api.deps import Predicting, Predictions
from app.api.problems import documented
from app.api.responses import JsonResponse
from app.schemas.prediction import PredictionAnswer, PredictionRequest
from app.services.prediction import PredictionService

router = APIRouter(tags=["predict"])

_EXAMPLE = {"model": "churn", "X": [[39, 1.5], [52, 0.3]]}


@router.post(
    "/predict",
    summary="Labels, decision scores and distances to the planes",
    response_model=PredictionAnswer,
    responses=documented(
        errors.MalformedBody,
        errors.NotAuthenticated,
        errors.NotPermitted,
        errors.ModelNotFound,
        errors.BodyTooSlow,
        errors.BodyTooLarge,
        errors.UnsupportedMediaType,
        errors.InvalidRequest,
        errors.TooManyBytesInFlight,
        errors.ArtifactDamaged,
        errors.StoreUnavailable,
    ),
    openapi_extra=json_body(PredictionRequest, _EXAMPLE),
)
async def predict_labels(
    request: Request, predictions: Predictions, caller: Predicting
) -> JsonResponse:
    """Rows are lists in the order of the training, or objects by feature name."""
    media_type_of(request, JSON)
    body = await request.body()
    parsed = await off_the_loop(len(body), parse, PredictionRequest, body)
    # A version that is not loaded yet has to be read from disk: not on the loop.
    work = len(body) if predictions.is_ready(parsed) else 2**31
    content = await off_the_loop(work, _answer, predictions, parsed)
    return JsonResponse(content)


def _answer(predictions: PredictionService, request: PredictionRequest) -> dict[str, Any]:
    answer = predictions.predict(request)
    return {
        "model": answer.model,
        "version": answer.version,
        "labels": answer.prediction.labels,
        "scores": answer.prediction.scores,
        "distances": answer.prediction.distances,
        "probabilities": answer.prediction.probabilities,
    }
