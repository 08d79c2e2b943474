"""POST /predict."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request
from starlette.responses import Response

from app import errors
from app.api.answers import ARRAY_FORMATS, format_for, response_in
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
from app.api.deps import PredictCaller, container_of, require_caller
from app.api.problems import documented
from app.api.raw import DeferredResponse, RawRoute, RequestHead, run_endpoint
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
    """Return the `openapi_extra`: bodies, and query parameters for bodies other than JSON."""
    extra = json_body(PredictionRequest, _EXAMPLE)
    bodies = extra["requestBody"]["content"]
    bodies |= {CSV: _TEXT, **dict.fromkeys((PARQUET, ARROW, NPY, OCTETS), _BINARY)}
    name = {"type": "string", "pattern": NAME_PATTERN}
    extra["parameters"] = [
        _parameter(
            "model",
            "Name of the model, for bodies other than JSON. Default: `default`.",
            name,
        ),
        _parameter(
            "version",
            "Version number, for bodies other than JSON. Default: the version of the alias "
            "`production`, or the newest version if that alias does not exist.",
            {"type": "integer", "minimum": 1, "maximum": INT64},
        ),
        _parameter("alias", "Alias to use instead of `version`, for bodies other than JSON.", name),
        _parameter(
            "output",
            f"The array to return, for responses in {' or '.join(ARRAY_FORMATS)}. Default: the "
            f"single output that the body requests, else `labels` for {NPY} and `scores` for "
            f"{OCTETS}.",
            {"type": "string", "enum": list(OUTPUTS)},
        ),
    ]
    return extra


class _Call(NamedTuple):
    """Formats and query of a request."""

    kind: str
    answer_kind: str
    query: PredictionQuery


class PredictEndpoint:
    """Handles a prediction request, from the headers to the response bytes."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._predictions: PredictionService = container.predictions

    def admit(self, head: RequestHead) -> _Call:
        """Check the API key and read the formats and the query."""
        headers = head.headers
        require_caller(self._container, head.server, headers, KeyScope.PREDICT)
        kind = kind_of(headers.get(b"content-type"), *_KINDS)
        answer_kind = format_for(headers.get(b"accept"))
        return _Call(kind, answer_kind, _query_of(head.query, kind, answer_kind))

    def try_immediate(self, call: _Call, body: bytes | bytearray) -> Response | DeferredResponse:
        """Predict on the event loop if the model is loaded and the body has few rows of numbers."""
        if call.kind != JSON:
            if call.kind in ARRAY_FORMATS and self._predictions.is_quick(call.query, len(body)):
                return self.compute(call, body)
            return partial(self.compute, call, body)
        request = parse_if_quick(PredictionRequest, body) if len(body) <= EAGER_BYTES else None
        if request is None:
            return partial(self.compute, call, body)
        loaded = self._predictions.quick(request)
        if loaded is None:
            return partial(self._respond, call, request)
        return self._respond(call, request, loaded)

    def compute(self, call: _Call, body: bytes | bytearray) -> Response:
        """Predict for a body of any size and a model that may not be loaded."""
        if call.kind == JSON:
            return self._respond(call, parse(PredictionRequest, body))
        answer = self._predictions.predict_body(call.query, _TABLES[call.kind], body)
        return response_in(call.answer_kind, answer, call.query.output)

    def _respond(
        self, call: _Call, request: PredictionRequest, loaded: Loaded | None = None
    ) -> Response:
        answer = self._predictions.predict(request, loaded)
        return response_in(call.answer_kind, answer, call.query.output)


def raw_routes(container: Container) -> list[RawRoute]:
    """Return the raw route of POST /predict, which bypasses the framework."""
    return [RawRoute("/predict", PredictEndpoint(container))]


@router.post(
    "/predict",
    summary="Predict labels, scores, distances and probabilities",
    response_model=PredictionAnswer,
    responses={
        200: {
            "description": "The predictions, in the format that `Accept` selects.",
            "content": {CSV: _TEXT, **dict.fromkeys((ARROW, NPY, OCTETS), _BINARY)},
        },
        **documented(
            errors.MalformedBody,
            errors.NotAuthenticated,
            errors.NotPermitted,
            errors.ModelNotFound,
            errors.VersionNotFound,
            errors.AliasNotFound,
            errors.NotAcceptable,
            errors.BodyTooSlow,
            errors.BodyTooLarge,
            errors.DataTooLarge,
            errors.UnsupportedMediaType,
            errors.InvalidRequest,
            errors.FeatureMismatch,
            errors.TooManyBytesInFlight,
            errors.ArtifactDamaged,
            errors.StoreUnavailable,
        ),
    },
    openapi_extra=_documentation(),
)
async def predict_labels(request: Request, caller: PredictCaller) -> Response:
    """Predict the class of each row.

    In JSON, a row is a list of values in the order of the training columns, or an object keyed by
    feature name. Tables (CSV, Parquet, Arrow) and arrays (`.npy`, or little-endian doubles without
    a header) are accepted as well; the query then names the model. The `Accept` header selects the
    format of the response. Responses other than JSON name the model and the version in the headers
    `X-FRTSVM-Model` and `X-FRTSVM-Version`.
    """
    endpoint = PredictEndpoint(container_of(request))
    return await run_endpoint(endpoint, request.scope, request.receive, {})


def _query_of(text: bytes, kind: str, answer_kind: str) -> PredictionQuery:
    """Return the query parameters of a prediction; unknown names are ignored."""
    if not text:
        return _NO_QUERY
    try:
        given = dict(parse_qsl(text.decode("latin-1"), keep_blank_values=True, max_num_fields=100))
    except ValueError:
        raise invalid(
            [errors.Flaw("The query has more than 100 parameters. Send fewer.", "query")]
        ) from None
    known = {name: value for name, value in given.items() if name in PredictionQuery.model_fields}
    if kind == JSON and known.keys() - {"output"}:
        detail = (
            "A JSON body names model, version and alias itself. "
            "Remove these parameters from the query."
        )
        raise invalid([errors.Flaw(detail, "query")])
    query = validate(PredictionQuery, known)
    if query.output is not None and answer_kind not in ARRAY_FORMATS:
        detail = (
            f"The parameter `output` needs a response in {' or '.join(ARRAY_FORMATS)}. "
            "Set the `Accept` header, or use `outputs` in a JSON body."
        )
        raise invalid([errors.Flaw(detail, "output")])
    return query
