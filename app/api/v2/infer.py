"""POST /v2/models/{name}[/versions/{version}]/infer."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from app.api.bodies import EAGER_BYTES, INLINE_BYTES, JSON, as_a_batch
from app.api.deps import container_of, require_scope
from app.api.encodings import MIN_BYTES, coding_of_answer, packed
from app.api.v2 import errors
from app.api.v2.routing import RawRoute, target_of, target_parameters
from app.errors import MalformedBody
from app.schemas.keys import Scope
from app.schemas.v2 import InferenceResponse
from app.services.inference import InferenceService

router = APIRouter(prefix="/v2/models", tags=["inference protocol"], route_class=RawRoute)

OCTETS = "application/octet-stream"
HEADER_LENGTH = "inference-header-content-length"
_BINARY = {"schema": {"type": "string", "format": "binary"}}
_EXAMPLE = {
    "id": "42",
    "inputs": [{"name": "X", "shape": [2, 2], "datatype": "FP64", "data": [39, 1.5, 52, 0.3]}],
    "outputs": [{"name": "label"}],
}


def _described(*, versioned: bool) -> dict[str, Any]:
    """The parts of the document that FastAPI cannot find in the signature."""
    length = {
        "name": "Inference-Header-Content-Length",
        "in": "header",
        "required": False,
        "description": "The length of the JSON part if binary data follow it.",
        "schema": {"type": "integer", "minimum": 0},
    }
    schema = {"$ref": "#/components/schemas/InferenceRequest"}
    content = {JSON: {"schema": schema, "example": _EXAMPLE}, OCTETS: _BINARY}
    return {
        "parameters": [*target_parameters(versioned=versioned), length],
        "requestBody": {"required": True, "content": content},
        "security": [{"HTTPBearer": []}, {"APIKeyHeader": []}],
    }


_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The outputs: JSON, and behind it the binary data if some were asked for.",
        "content": {OCTETS: _BINARY},
    },
    **errors.INFER,
}


@router.post(
    "/{name}/infer",
    response_model=InferenceResponse,
    responses=_RESPONSES,
    openapi_extra=_described(versioned=False),
)
async def infer(request: Request) -> Response:
    """Labels, scores and distances as tensors.

    Inputs are one tensor `X` of shape [rows, features], or one tensor of shape [rows] per feature
    name. Each input and each output may be JSON or binary.
    """
    return await _answer(request)


@router.post(
    "/{name}/versions/{version}/infer",
    response_model=InferenceResponse,
    responses=_RESPONSES,
    openapi_extra=_described(versioned=True),
)
async def infer_version(request: Request) -> Response:
    """The same with one version."""
    return await _answer(request)


async def _answer(request: Request) -> Response:
    require_scope(request, Scope.PREDICT)
    model, version = target_of(request)
    length = _header_length(request)
    coding = coding_of_answer(request.headers)
    body = await request.body()
    service = container_of(request).inference
    most = INLINE_BYTES if length is None or coding is not None else EAGER_BYTES
    if len(body) <= most and service.is_quick(model, version, len(body)):
        return _infer(service, model, version, body, length, coding)
    return await as_a_batch(_infer, service, model, version, body, length, coding)


def _infer(
    service: InferenceService,
    model: str,
    version: int | None,
    body: bytes,
    length: int | None,
    coding: str | None,
) -> Response:
    found = service.infer(model, version, body, length)
    headers = {}
    if found.header_length is not None:
        headers["Inference-Header-Content-Length"] = str(found.header_length)
    content = found.body
    if coding is not None and len(content) >= MIN_BYTES:
        content = packed(content, coding)
        headers["Content-Encoding"] = coding
        headers["Vary"] = "Accept-Encoding"
    media_type = JSON if found.header_length is None else OCTETS
    return Response(content, headers=headers, media_type=media_type)


def _header_length(request: Request) -> int | None:
    given = request.headers.get(HEADER_LENGTH)
    if given is None:
        return None
    if not (given.isascii() and given.isdigit() and len(given) < 20):
        raise MalformedBody("Inference-Header-Content-Length is not a number of bytes")
    return int(given)
