"""POST /predict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request
from starlette.responses import Response
from starlette.types import Receive, Scope

from app import errors
from app.api.answers import BARE, format_for, response_in
from app.api.bodies import (
    ARROW,
    CSV,
    EAGER_BYTES,
    JSON,
    NPY,
    OCTETS,
    PARQUET,
    as_a_batch,
    joined,
    json_body,
    kind_of,
    parse,
    parse_if_quick,
)
from app.api.deps import Predicting, container_of, require_caller
from app.api.problems import documented
from app.api.raw import headers_of, pieces_of
from app.container import Container
from app.schemas.base import INT64, NAME_PATTERN
from app.schemas.keys import Scope as KeyScope
from app.schemas.prediction import PredictionAnswer, PredictionQuery, PredictionRequest
from app.schemas.validation import invalid, validate
from app.services.prediction import PredictionService
from app.services.tables import BodyKind

router = APIRouter(tags=["predict"])

_EXAMPLE = {"model": "churn", "X": [[39, 1.5], [52, 0.3]]}
_TABLES = {
    CSV: BodyKind.CSV,
    PARQUET: BodyKind.PARQUET,
    ARROW: BodyKind.ARROW,
    NPY: BodyKind.NPY,
    OCTETS: BodyKind.DOUBLES,
}
_KINDS = (JSON, *_TABLES)
_NO_QUERY = PredictionQuery()
_BINARY = {"schema": {"type": "string", "format": "binary"}}
_TEXT = {"schema": {"type": "string"}}


def _parameter(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "query", "description": description, "schema": schema}


def _documentation() -> dict[str, Any]:
    """The `openapi_extra`: bodies, and the query that goes with those that are not JSON."""
    extra = json_body(PredictionRequest, _EXAMPLE)
    bodies = extra["requestBody"]["content"]
    bodies |= {CSV: _TEXT, **dict.fromkeys((PARQUET, ARROW, NPY, OCTETS), _BINARY)}
    name = {"type": "string", "pattern": NAME_PATTERN}
    extra["parameters"] = [
        _parameter("model", "Bodies that are not JSON: the model.", name),
        _parameter("version", "Likewise.", {"type": "integer", "minimum": 1, "maximum": INT64}),
        _parameter("alias", "Likewise, instead of `version`.", name),
        _parameter(
            "output",
            f"Answers in {' or '.join(BARE)}: which array.",
            {"type": "string", "enum": ["labels", "scores", "distances", "probabilities"]},
        ),
    ]
    return extra


class PredictEndpoint:
    """The whole call, from headers to bytes."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._predictions: PredictionService = container.predictions

    async def __call__(self, scope: Scope, receive: Receive) -> Response:
        """Small bodies are answered at once, large ones in a thread."""
        headers = headers_of(scope)
        self._require_caller(scope, headers)
        kind = kind_of(headers.get(b"content-type"), *_KINDS)
        answer_kind = format_for(headers.get(b"accept"))
        query = _query_of(scope["query_string"], kind, answer_kind)
        pieces = await pieces_of(receive)
        size = sum(map(len, pieces))
        if kind != JSON:
            if kind in BARE and size <= EAGER_BYTES and self._predictions.is_quick(query, size):
                return self._answer_table(kind, pieces, query, answer_kind)
            return await as_a_batch(self._answer_table, kind, pieces, query, answer_kind)
        if size > EAGER_BYTES:
            return await as_a_batch(self._answer_pieces, pieces, query, answer_kind)
        body = joined(pieces)
        request = parse_if_quick(PredictionRequest, body)
        if request is None:
            return await as_a_batch(self._answer_pieces, [body], query, answer_kind)
        loaded = self._predictions.quick(request)
        if loaded is None:
            return await as_a_batch(self._answer, request, query, answer_kind)
        return response_in(answer_kind, self._predictions.predict(request, loaded), query.output)

    def _answer_pieces(
        self, pieces: Sequence[bytes | bytearray], query: PredictionQuery, answer_kind: str
    ) -> Response:
        return self._answer(parse(PredictionRequest, joined(pieces)), query, answer_kind)

    def _answer(
        self, request: PredictionRequest, query: PredictionQuery, answer_kind: str
    ) -> Response:
        answer = self._predictions.predict(request)
        return response_in(answer_kind, answer, query.output)

    def _answer_table(
        self, kind: str, pieces: list[bytes], query: PredictionQuery, answer_kind: str
    ) -> Response:
        answer = self._predictions.predict_body(query, _TABLES[kind], joined(pieces))
        return response_in(answer_kind, answer, query.output)

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
    responses={
        200: {"content": {CSV: _TEXT, **dict.fromkeys((ARROW, NPY, OCTETS), _BINARY)}},
        **documented(
            errors.MalformedBody,
            errors.NotAuthenticated,
            errors.NotPermitted,
            errors.ModelNotFound,
            errors.NotAcceptable,
            errors.BodyTooSlow,
            errors.BodyTooLarge,
            errors.UnsupportedMediaType,
            errors.InvalidRequest,
            errors.TooManyBytesInFlight,
            errors.ArtifactDamaged,
            errors.StoreUnavailable,
        ),
    },
    openapi_extra=_documentation(),
)
async def predict_labels(request: Request, caller: Predicting) -> Response:
    """Rows are lists in the order of the training, or objects by feature name.

    Tables (CSV, Parquet, Arrow) and arrays (.npy, bare little-endian doubles) are taken as well, with
    the model in the query; `Accept` chooses the format of the answer.
    """
    return await PredictEndpoint(container_of(request))(request.scope, request.receive)


def _query_of(text: bytes, kind: str, answer_kind: str) -> PredictionQuery:
    """What the query says; names that are not ours are none of our business."""
    if not text:
        return _NO_QUERY
    try:
        given = dict(parse_qsl(text.decode("latin-1"), keep_blank_values=True, max_num_fields=100))
    except ValueError:
        raise invalid([errors.Flaw("the query has too many fields", "query")]) from None
    known = {name: value for name, value in given.items() if name in PredictionQuery.model_fields}
    if kind == JSON and known.keys() - {"output"}:
        flaw = errors.Flaw("a JSON body names its model inside; the query is for others", "query")
        raise invalid([flaw])
    query = validate(PredictionQuery, known)
    if query.output is not None and answer_kind not in BARE:
        flaw = errors.Flaw(f"`output` is for answers in {' or '.join(BARE)}", "output")
        raise invalid([flaw])
    return query
