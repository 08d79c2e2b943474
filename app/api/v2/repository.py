"""Model repository: list the versions, load and unload models."""

from __future__ import annotations

from typing import Any, TypeVar

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel

from app.api.bodies import JSON, parse
from app.api.deps import AdminCaller, ModelName, PredictCaller, container_of
from app.api.responses import JsonResponse
from app.api.v2 import errors
from app.schemas.v2 import IndexEntry, IndexRequest, RepositoryRequest

router = APIRouter(prefix="/v2/repository", tags=["inference protocol"])

Parsed = TypeVar("Parsed", bound=BaseModel)


def _body(kind: type[BaseModel]) -> dict[str, Any]:
    reference = {"$ref": f"#/components/schemas/{kind.__name__}"}
    return {"requestBody": {"required": False, "content": {JSON: {"schema": reference}}}}


async def _read(request: Request, kind: type[Parsed]) -> Parsed:
    """Read an optional JSON body. `Content-Type` is ignored: the protocol's clients omit it."""
    return parse(kind, await request.body() or b"{}")


@router.post(
    "/index",
    summary="List all versions",
    response_description="The versions.",
    response_model=list[IndexEntry],
    responses=errors.INDEX,
    openapi_extra=_body(IndexRequest),
)
async def get_repository_index(request: Request, caller: PredictCaller) -> Response:
    """Return all versions of all models.

    With the body `{"ready": true}`, only versions that can be loaded are returned.
    """
    wanted = await _read(request, IndexRequest)
    index = container_of(request).repository.index
    entries = await run_in_threadpool(index, ready=wanted.ready)
    return JsonResponse([entry.model_dump() for entry in entries])


@router.post(
    "/models/{name}/load",
    summary="Load a model",
    response_description="The version is loaded. The body is empty.",
    responses=errors.CHANGE,
    response_class=Response,
    openapi_extra=_body(RepositoryRequest),
)
async def load_model(request: Request, name: ModelName, caller: AdminCaller) -> Response:
    """Load the version that serves the model, so that the first prediction does not have to wait.

    The service also loads models when they are first used. Each web process loads its own models,
    and the request reaches only one of the processes.
    """
    wanted = await _read(request, RepositoryRequest)
    await run_in_threadpool(container_of(request).repository.load, name, wanted)
    return Response()


@router.post(
    "/models/{name}/unload",
    summary="Unload a model",
    response_description="The memory is free. The body is empty.",
    responses=errors.CHANGE,
    response_class=Response,
    openapi_extra=_body(RepositoryRequest),
)
async def unload_model(request: Request, name: ModelName, caller: AdminCaller) -> Response:
    """Free the memory that all versions of a model take in one web process.

    The model remains available: the next request loads it again. To stop serving it, delete it or
    move its alias.
    """
    await _read(request, RepositoryRequest)
    await run_in_threadpool(container_of(request).repository.unload, name)
    return Response()
