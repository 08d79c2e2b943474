"""POST /predict."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request
from starlette.responses import Response

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
    json_body,
    kind_of,
    parse,
    parse_if_quick,
)
from app.api.deps import Predicting, container_of, require_caller
from app.api.problems import documented
from app.api.raw import Later, Opening, RawRoute, answer
from app.container import Container
from app.schemas.base import INT64, NAME_PATTERN
from app.schemas.keys import Scope as KeyScope
from app.schemas.prediction import OUTPUTS, PredictionAnswer, PredictionQuery, PredictionRequest
from app.schemas.validation import invalid, validate
from app.services.prediction import Loaded, PredictionService
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
            {"type": "string", "enum": list(OUTPUTS)},
        ),
    ]
    return extra


class _Call(NamedTuple):
    """What the headers and the query say."""

    kind: str
    answer_kind: str
    query: PredictionQuery


class PredictEndpoint:
    """The whole call, from headers to bytes."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._predictions: PredictionService = container.predictions

    def admit(self, opening: Opening) -> _Call:
        """Who calls, and in which formats."""
        headers = opening.headers
        require_caller(self._container, opening.server, headers, KeyScope.PREDICT)
        kind = kind_of(headers.get(b"content-type"), *_KINDS)
        answer_kind = format_for(headers.get(b"accept"))
        return _Call(kind, answer_kind, _query_of(opening.query, kind, answer_kind))

    def at_once(self, call: _Call, body: bytes | bytearray) -> Response | Later:
        """Rows of numbers for a model that is loaded, as long as they are few."""
        if call.kind != JSON:
            if call.kind in BARE and self._predictions.is_quick(call.query, len(body)):
                return self.compute(call, body)
            return partial(self.compute, call, body)
        request = parse_if_quick(PredictionRequest, body) if len(body) <= EAGER_BYTES else None
        if request is None:
            return partial(self.compute, call, body)
        loaded = self._predictions.quick(request)
        if loaded is None:
            return partial(self._answer, call, request)
        return self._answer(call, request, loaded)

    def compute(self, call: _Call, body: bytes | bytearray) -> Response:
        """Any rows, any model."""
        if call.kind == JSON:
            return self._answer(call, parse(PredictionRequest, body))
        answer = self._predictions.predict_body(call.query, _TABLES[call.kind], body)
        return response_in(call.answer_kind, answer, call.query.output)

    def _answer(
        self, call: _Call, request: PredictionRequest, loaded: Loaded | None = None
    ) -> Response:
        answer = self._predictions.predict(request, loaded)
        return response_in(call.answer_kind, answer, call.query.output)


def raw_routes(container: Container) -> list[RawRoute]:
    """The same call, before the framework."""
    return [RawRoute("/predict", PredictEndpoint(container))]


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
    endpoint = PredictEndpoint(container_of(request))
    return await answer(endpoint, request.scope, request.receive, {})


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
