"""Model info, aliases, deletion."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from app import errors
from app.api.bodies import json_body, read_json
from app.api.deps import (
    Administrating,
    AliasName,
    Limit,
    ModelName,
    Models,
    Offset,
    Predicting,
    Version,
)
from app.api.problems import documented
from app.api.responses import JsonResponse
from app.schemas.models import (
    AliasInfo,
    AliasRequest,
    MembershipPage,
    ModelInfo,
    ModelPage,
    PlanesInfo,
    VersionInfo,
)

router = APIRouter(prefix="/models", tags=["models"])

_COMMON = (
    errors.NotAuthenticated,
    errors.NotPermitted,
    errors.InvalidRequest,
    errors.StoreUnavailable,
)
_READ = documented(*_COMMON, errors.ModelNotFound)
_LOAD = documented(*_COMMON, errors.ModelNotFound, errors.ArtifactDamaged)
_CHANGE = documented(*_COMMON, errors.ModelNotFound, errors.VersionInUse, errors.StoreFull)
_ALIAS = documented(
    *_COMMON,
    errors.MalformedBody,
    errors.ModelNotFound,
    errors.BodyTooSlow,
    errors.BodyTooLarge,
    errors.UnsupportedMediaType,
    errors.TooManyBytesInFlight,
    errors.StoreFull,
)

Sort = Literal[
    "row", "-row", "membership", "-membership", "label", "-label", "distance", "-distance"
]


@router.get("", response_model=ModelPage, responses=documented(*_COMMON))
def list_models(
    models: Models, caller: Predicting, limit: Limit = 100, offset: Offset = 0
) -> Response:
    """All models by name, a page at a time."""
    return JsonResponse(models.page(limit, offset))


@router.get("/{name}", response_model=ModelInfo, responses=_READ)
def get_model(
    name: ModelName, models: Models, caller: Predicting, limit: Limit = 100, offset: Offset = 0
) -> Response:
    """One model: its aliases and its versions, newest first."""
    return JsonResponse(models.model(name, limit, offset))


@router.delete("/{name}", status_code=204, responses=_CHANGE)
def delete_model(name: ModelName, models: Models, caller: Administrating) -> Response:
    """Retire all versions of a model and its aliases. Version numbers are not used again."""
    models.delete_model(name)
    return Response(status_code=204)


@router.get("/{name}/versions/{version}", response_model=VersionInfo, responses=_READ)
def get_version(name: ModelName, version: Version, models: Models, caller: Predicting) -> Response:
    """Everything about one version: parameters, certificate, memberships, scores, digest."""
    return JsonResponse(models.version(name, version))


@router.delete("/{name}/versions/{version}", status_code=204, responses=_CHANGE)
def delete_version(
    name: ModelName, version: Version, models: Models, caller: Administrating
) -> Response:
    """Retire a version. Aliases that point at it have to be moved first."""
    models.delete_version(name, version)
    return Response(status_code=204)


@router.get("/{name}/versions/{version}/planes", response_model=PlanesInfo, responses=_LOAD)
def get_planes(
    name: ModelName,
    version: Version,
    models: Models,
    caller: Predicting,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """The fitted hyperplanes. `limit` and `offset` page through the landmarks of a kernel."""
    return JsonResponse(models.planes(name, version, limit, offset))


@router.get(
    "/{name}/versions/{version}/memberships", response_model=MembershipPage, responses=_LOAD
)
def get_memberships(
    name: ModelName,
    version: Version,
    models: Models,
    caller: Predicting,
    sort: Sort = "row",
    suspected: Annotated[bool | None, Query(description="Only these, or only the others.")] = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """The training rows: membership, suspicion, label and distances. `-` sorts downwards."""
    page = models.memberships(
        name, version, sort=sort, suspected=suspected, limit=limit, offset=offset
    )
    return JsonResponse(page)


@router.put(
    "/{name}/aliases/{alias}",
    response_model=AliasInfo,
    responses=_ALIAS,
    openapi_extra=json_body(AliasRequest, {"version": 3}),
)
async def move_alias(
    request: Request, name: ModelName, alias: AliasName, models: Models, caller: Administrating
) -> Response:
    """Point an alias at a version, atomically. `production` answers calls that name no version."""
    wanted = await read_json(request, AliasRequest)
    return JsonResponse(await run_in_threadpool(models.move_alias, name, alias, wanted.version))


@router.post(
    "/{name}/aliases/{alias}/rollback",
    response_model=AliasInfo,
    responses=documented(
        *_COMMON, errors.ModelNotFound, errors.NothingToRollBack, errors.StoreFull
    ),
)
def roll_back_alias(
    name: ModelName, alias: AliasName, models: Models, caller: Administrating
) -> Response:
    """Point an alias where it pointed before its latest move."""
    return JsonResponse(models.roll_back_alias(name, alias))


@router.delete(
    "/{name}/aliases/{alias}",
    status_code=204,
    responses=documented(*_COMMON, errors.ModelNotFound, errors.StoreFull),
)
def remove_alias(
    name: ModelName, alias: AliasName, models: Models, caller: Administrating
) -> Response:
    """Forget an alias. The version it points at stays."""
    models.remove_alias(name, alias)
    return Response(status_code=204)
