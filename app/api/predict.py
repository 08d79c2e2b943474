"""POST /predict."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response
from starlette.types import Receive, Scope

from app import errors
from app.api.bodies import INLINE_BYTES, JSON, as_a_batch, joined, json_body, kind_of, parse
from app.api.deps import Predicting, container_of, require_caller
from app.api.problems import documented
from app.api.raw import headers_of, pieces_of
from app.api.responses import BytesResponse
from app.container import Container
from app.schemas.keys import Scope as KeyScope
from app.schemas.prediction import PredictionAnswer, PredictionRequest
from app.services.prediction import Answer, PredictionService
from app.wire.json_answers import write_answer

router = APIRouter(tags=["predict"])

_EXAMPLE = {"model": "churn", "X": [[39, 1.5], [52, 0.3]]}


class PredictEndpoint:
    """The whole call, from headers to bytes."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._predictions: PredictionService = container.predictions

    async def __call__(self, scope: Scope, receive: Receive) -> Response:
        """Small bodies are answered at once, large ones in a thread."""
        headers = headers_of(scope)
        self._require_caller(scope, headers)
        kind_of(headers.get(b"content-type"), headers.get(b"content-encoding"), JSON)
        pieces = await pieces_of(receive)
        if sum(map(len, pieces)) > INLINE_BYTES:
            return await as_a_batch(self._answer_to_pieces, pieces)
        request = parse(PredictionRequest, joined(pieces))
        loaded = self._predictions.quick(request)
        if loaded is None:
            return await as_a_batch(self._answer, request)
        return _response(self._predictions.predict(request, loaded))

    def _answer_to_pieces(self, pieces: list[bytes]) -> Response:
        return self._answer(parse(PredictionRequest, joined(pieces)))

    def _answer(self, request: PredictionRequest) -> Response:
        return _response(self._predictions.predict(request))

    def _require_caller(self, scope: Scope, headers: dict[bytes, bytes]) -> None:
        def header(name: bytes) -> str | None:
            value = headers.get(name)
            return None if value is None else value.decode("latin-1")

        require_caller(
            self._container,
            scope,
            KeyScope.PREDICT,
            authorization=header(b"authorization"),
            api_key=header(b"x-api-key"),
            host=header(b"host"),
            origin=header(b"origin"),
        )


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
async def predict_labels(request: Request, caller: Predicting) -> Response:
    """Rows are lists in the order of the training, or objects by feature name."""
    return await PredictEndpoint(container_of(request))(request.scope, request.receive)


def _response(answer: Answer) -> Response:
    prediction = answer.prediction
    columns: dict[str, Any] = {
        "labels": prediction.labels,
        "scores": prediction.scores,
        "distances": prediction.distances,
    }
    head = {"model": answer.model, "version": answer.version}
    return BytesResponse(b"application/json", *write_answer(head, columns, len(prediction.labels)))
