"""POST /v2/models/{name}[/versions/{version}]/infer."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from fastapi import APIRouter, Request, Response

from app.api.bodies import EAGER_ARRAY_BYTES, EAGER_BYTES, INLINE_BYTES, JSON
from app.api.deps import container_of, require_caller
from app.api.encodings import MIN_BYTES, compress, response_coding
from app.api.raw import DeferredResponse, RawRoute, RequestHead, run_endpoint
from app.api.responses import BytesResponse
from app.api.v2 import errors
from app.api.v2.routing import UnresolvedRoute, target_of, target_parameters
from app.container import Container
from app.errors import MalformedBody
from app.schemas.keys import Scope
from app.schemas.v2 import InferenceResponse
from app.services.inference import InferenceCall, InferenceService

router = APIRouter(prefix="/v2/models", tags=["inference protocol"], route_class=UnresolvedRoute)

OCTETS = "application/octet-stream"
HEADER_LENGTH = b"inference-header-content-length"
_BINARY = {"schema": {"type": "string", "format": "binary"}}
_EXAMPLE = {
    "id": "42",
    "inputs": [{"name": "X", "shape": [2, 2], "datatype": "FP64", "data": [39, 1.5, 52, 0.3]}],
    "outputs": [{"name": "label"}],
}


def _described(*, versioned: bool) -> dict[str, Any]:
    """Return the parts of the OpenAPI document that FastAPI cannot derive from the signature."""
    length = {
        "name": "Inference-Header-Content-Length",
        "in": "header",
        "required": False,
        "description": "Length in bytes of the JSON part of the body, if binary data follow it. "
        "Default: the whole body is JSON.",
        "schema": {"type": "integer", "minimum": 0},
    }
    schema = {"$ref": "#/components/schemas/InferenceRequest"}
    content = {JSON: {"schema": schema, "example": _EXAMPLE}, OCTETS: _BINARY}
    return {
        "parameters": [*target_parameters(versioned=versioned), length],
        "requestBody": {"required": True, "content": content},
        "security": [{"HTTPBearer": []}, {"APIKeyHeader": []}],
    }


_SUCCESS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The outputs as JSON, followed by the data of binary outputs, if any.",
        "content": {OCTETS: _BINARY},
    },
}


@router.post(
    "/{name}/infer",
    summary="Predict with a model",
    response_model=InferenceResponse,
    responses={**_SUCCESS, **errors.INFER},
    openapi_extra=_described(versioned=False),
)
async def infer(request: Request) -> Response:
    """Predict with the version that serves the model.

    That is the version of the alias `production`, or the newest version if that alias does not
    exist. The inputs are one tensor `X` of shape [rows, features], or one tensor of shape [rows]
    per feature, named after it. The outputs are the tensors `label`, `score`, `distances` and
    `probabilities`, as far as the version has them. Each input and each output is JSON or binary.
    """
    return await _respond(request)


@router.post(
    "/{name}/versions/{version}/infer",
    summary="Predict with a version",
    response_model=InferenceResponse,
    responses={**_SUCCESS, **errors.INFER_VERSION},
    openapi_extra=_described(versioned=True),
)
async def infer_version(request: Request) -> Response:
    """Predict with the given version.

    The inputs are one tensor `X` of shape [rows, features], or one tensor of shape [rows] per
    feature, named after it. The outputs are the tensors `label`, `score`, `distances` and
    `probabilities`, as far as the version has them. Each input and each output is JSON or binary.
    """
    return await _respond(request)


async def _respond(request: Request) -> Response:
    endpoint = InferEndpoint(container_of(request))
    return await run_endpoint(endpoint, request.scope, request.receive, request.path_params)


class _Call(NamedTuple):
    """Path parameters and headers of a request."""

    model: str
    version: int | None
    header_length: int | None
    coding: str | None


class InferEndpoint:
    """Handles an inference request, from the headers to the response bytes."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._service: InferenceService = container.inference

    def admit(self, head: RequestHead) -> _Call:
        """Check the API key and read the target and the encoding of the bodies."""
        headers = head.headers
        require_caller(self._container, head.server, headers, Scope.PREDICT)
        model, version = target_of(head.parameters)
        length = _header_length(headers.get(HEADER_LENGTH))
        return _Call(model, version, length, response_coding(headers))

    def try_immediate(self, call: _Call, body: bytes | bytearray) -> Response | DeferredResponse:
        """Predict on the event loop if the model is loaded and the tensors are small."""
        most = EAGER_BYTES if call.header_length is None else EAGER_ARRAY_BYTES
        if len(body) > (most if call.coding is None else INLINE_BYTES):
            return partial(self.compute, call, body)
        asked = self._service.read_if_quick(call.model, call.version, body, call.header_length)
        if asked is None:
            return partial(self.compute, call, body)
        return self._respond(call, asked) if asked.is_quick else partial(self._respond, call, asked)

    def compute(self, call: _Call, body: bytes | bytearray) -> Response:
        """Predict for tensors of any size and a model that may not be loaded."""
        asked = self._service.read(call.model, call.version, body, call.header_length)
        return self._respond(call, asked)

    def _respond(self, call: _Call, asked: InferenceCall) -> Response:
        found = self._service.answer(asked)
        headers = []
        if found.header_length is not None:
            headers.append((HEADER_LENGTH, b"%d" % found.header_length))
        content = found.body
        if call.coding is not None and len(content) >= MIN_BYTES:
            content = compress(content, call.coding)
            headers += [(b"content-encoding", call.coding.encode()), (b"vary", b"Accept-Encoding")]
        media_type = JSON if found.header_length is None else OCTETS
        return BytesResponse(media_type.encode(), content, headers=headers)


def raw_routes(container: Container) -> list[RawRoute]:
    """Return the raw routes of inference, which bypass the framework."""
    endpoint = InferEndpoint(container)
    paths = (
        f"{router.prefix}/{{name}}/infer",
        f"{router.prefix}/{{name}}/versions/{{version}}/infer",
    )
    return [RawRoute(path, endpoint, errors.respond_to_protocol) for path in paths]


def _header_length(given: bytes | None) -> int | None:
    if given is None:
        return None
    if not (given.isdigit() and len(given) < 20):
        raise MalformedBody(
            "Inference-Header-Content-Length must be the length of the JSON part of the body in "
            "bytes, written in decimal digits."
        )
    return int(given)
