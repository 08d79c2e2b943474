"""Which models there are; into the memory of this process and out of it."""

from __future__ import annotations

from typing import Any, TypeVar

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel

from app.api.bodies import JSON, parse
from app.api.deps import Administrating, ModelName, Predicting, container_of
from app.api.responses import JsonResponse
from app.api.v2 import errors
from app.schemas.v2 import IndexEntry, IndexRequest, RepositoryRequest

router = APIRouter(prefix="/v2/repository", tags=["inference protocol"])

Parsed = TypeVar("Parsed", bound=BaseModel)


def _body(kind: type[BaseModel]) -> dict[str, Any]:
    reference = {"$ref": f"#/components/schemas/{kind.__name__}"}
    return {"requestBody": {"required": False, "content": {JSON: {"schema": reference}}}}


async def _read(request: Request, kind: type[Parsed]) -> Parsed:
    """A body that may be missing, of whatever content type: the clients name none."""
    return parse(kind, await request.body() or b"{}")


@router.post(
    "/index",
    response_model=list[IndexEntry],
    responses=errors.INDEX,
    openapi_extra=_body(IndexRequest),
)
async def get_repository_index(request: Request, caller: Predicting) -> Response:
    """All versions of all models; with `{"ready": true}` those that can answer."""
    wanted = await _read(request, IndexRequest)
    index = container_of(request).repository.index
    entries = await run_in_threadpool(index, ready=wanted.ready)
    return JsonResponse([entry.model_dump() for entry in entries])


@router.post(
    "/models/{name}/load",
    responses=errors.CHANGE,
    response_class=Response,
    openapi_extra=_body(RepositoryRequest),
)
async def load_model(request: Request, name: ModelName, caller: Administrating) -> Response:
    """Load the version that answers when none is named, so that the first caller need not wait.

    Models are loaded when they are asked for in any case. With several workers the call reaches
    one of them.
    """
    wanted = await _read(request, RepositoryRequest)
    await run_in_threadpool(container_of(request).repository.load, name, wanted)
    return Response()


@router.post(
    "/models/{name}/unload",
    responses=errors.CHANGE,
    response_class=Response,
    openapi_extra=_body(RepositoryRequest),
)
async def unload_model(request: Request, name: ModelName, caller: Administrating) -> Response:
    """Free the memory that all versions of a model take in this process.

    The model stays there and ready: the next request loads it again. To retire it, delete it or
    move its alias.
    """
    await _read(request, RepositoryRequest)
    await run_in_threadpool(container_of(request).repository.unload, name)
    return Response()
