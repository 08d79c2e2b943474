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
from app.plots import STYLE_DIGEST
from app.schemas.models import (
    AliasInfo,
    AliasRequest,
    MembershipPage,
    ModelInfo,
    ModelPage,
    PlanesInfo,
    SearchPage,
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
_SEARCH = documented(*_COMMON, errors.ModelNotFound, errors.SearchNotFound, errors.ArtifactDamaged)
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

SVG = "image/svg+xml"
PlotName = Literal["c1-c3", "gamma", "mu"]
#: A drawing may be opened by itself: then nothing in it may run or load, and only its own style holds.
_DRAWING = {
    "content-security-policy": f"default-src 'none'; style-src '{STYLE_DIGEST}'; sandbox",
    "x-content-type-options": "nosniff",
}

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


@router.get("/{name}/versions/{version}/search", response_model=SearchPage, responses=_SEARCH)
def get_search(
    name: ModelName,
    version: Version,
    models: Models,
    caller: Predicting,
    sort: Literal["rank", "number"] = "rank",
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """The configurations that the search of a version tried, best first or in their order."""
    return JsonResponse(models.search(name, version, sort=sort, limit=limit, offset=offset))


@router.get(
    "/{name}/versions/{version}/plots/{plot}.svg",
    response_class=Response,
    responses={
        200: {
            "description": "The scores of the search over c1 and c3, over gamma, or over mu.",
            "content": {SVG: {"schema": {"type": "string"}}},
        },
        **_SEARCH,
    },
)
def get_plot(
    name: ModelName, version: Version, plot: PlotName, models: Models, caller: Predicting
) -> Response:
    """A drawing of the search: the best score for each value, over all other parameters."""
    drawing = models.plot(name, version, plot)
    return Response(drawing, media_type=SVG, headers=_DRAWING)


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
