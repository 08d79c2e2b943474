"""The OpenAPI document, with the schemas of routes that read their own bodies."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from app.api.problems import documented, problem_schema
from app.errors import HeadersTooLarge
from app.schemas.models import AliasRequest
from app.schemas.prediction import PredictionRequest
from app.schemas.training import TrainingRequest
from app.schemas.v2 import IndexRequest, InferenceRequest, ProtocolError, RepositoryRequest

_REFERENCE = "#/components/schemas/{model}"
_BODIES: tuple[type[BaseModel], ...] = (
    TrainingRequest,
    PredictionRequest,
    AliasRequest,
    InferenceRequest,
    IndexRequest,
    RepositoryRequest,
    ProtocolError,
)


def openapi_of(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document, which is created on the first call and then cached."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
        )
        schemas = document.setdefault("components", {}).setdefault("schemas", {})
        for schema in [problem_schema(), *(body_schema(kind) for kind in _BODIES)]:
            schemas.update(schema.pop("$defs", {}))
            schemas[schema["title"]] = schema
        _document_header_limits(document)
        app.openapi_schema = document
    return app.openapi_schema


def _document_header_limits(document: dict[str, Any]) -> None:
    """Add the response to oversized headers, which any operation may return, to all operations."""
    answers = {str(status): found for status, found in documented(HeadersTooLarge).items()}
    for calls in document["paths"].values():
        for operation in calls.values():
            operation["responses"].update(answers)


def body_schema(kind: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema of a request body."""
    return kind.model_json_schema(ref_template=_REFERENCE, mode="validation")
