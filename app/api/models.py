"""Routes of models, versions and aliases."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from app import errors
from app.api.bodies import json_body, read_json
from app.api.deps import (
    AdminCaller,
    AliasName,
    Limit,
    ModelName,
    Models,
    Offset,
    PredictCaller,
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
_VERSION = (errors.ModelNotFound, errors.VersionNotFound)
_READ = documented(*_COMMON, *_VERSION)
_LOAD = documented(*_COMMON, *_VERSION, errors.ArtifactDamaged)
_SEARCH = documented(*_COMMON, *_VERSION, errors.SearchNotFound, errors.ArtifactDamaged)
_ALIAS = documented(
    *_COMMON,
    errors.MalformedBody,
    *_VERSION,
    errors.BodyTooSlow,
    errors.BodyTooLarge,
    errors.UnsupportedMediaType,
    errors.TooManyBytesInFlight,
    errors.StoreFull,
)

SVG = "image/svg+xml"
PlotName = Literal["c1-c3", "gamma", "mu"]
#: Response headers of an SVG plot, because a browser can open it as a page of its own. The policy
#: lets it load and run nothing, and allows only its own style sheet.
_PLOT_HEADERS = {
    "content-security-policy": f"default-src 'none'; style-src '{STYLE_DIGEST}'; sandbox",
    "x-content-type-options": "nosniff",
}

Sort = Literal[
    "row", "-row", "membership", "-membership", "label", "-label", "distance", "-distance"
]


@router.get(
    "",
    response_model=ModelPage,
    summary="List models",
    response_description="A page of models.",
    responses=documented(*_COMMON),
)
def list_models(
    models: Models, caller: PredictCaller, limit: Limit = 100, offset: Offset = 0
) -> Response:
    """Return all models, sorted by name, one page at a time."""
    return JsonResponse(models.page(limit, offset))


@router.get(
    "/{name}",
    response_model=ModelInfo,
    summary="Get a model",
    response_description="The model.",
    responses=documented(*_COMMON, errors.ModelNotFound),
)
def get_model(
    name: ModelName, models: Models, caller: PredictCaller, limit: Limit = 100, offset: Offset = 0
) -> Response:
    """Return one model: its aliases and one page of its versions, newest first."""
    return JsonResponse(models.model(name, limit, offset))


@router.delete(
    "/{name}",
    status_code=204,
    summary="Delete a model",
    response_description="The model was deleted.",
    responses=documented(*_COMMON, errors.ModelNotFound, errors.StoreFull),
)
def delete_model(name: ModelName, models: Models, caller: AdminCaller) -> Response:
    """Delete all versions and all aliases of a model. Version numbers are never used again."""
    models.delete_model(name)
    return Response(status_code=204)


@router.get(
    "/{name}/versions/{version}",
    response_model=VersionInfo,
    summary="Get a version",
    response_description="The version.",
    responses=_READ,
)
def get_version(
    name: ModelName, version: Version, models: Models, caller: PredictCaller
) -> Response:
    """Return one version: parameters, certificate, memberships, scores and file digest."""
    return JsonResponse(models.version(name, version))


@router.delete(
    "/{name}/versions/{version}",
    status_code=204,
    summary="Delete a version",
    response_description="The version was deleted.",
    responses=documented(*_COMMON, *_VERSION, errors.VersionInUse, errors.StoreFull),
)
def delete_version(
    name: ModelName, version: Version, models: Models, caller: AdminCaller
) -> Response:
    """Delete a version. Aliases that point at it must be moved or removed first."""
    models.delete_version(name, version)
    return Response(status_code=204)


@router.get(
    "/{name}/versions/{version}/planes",
    response_model=PlanesInfo,
    summary="Get the planes of a version",
    response_description="The planes.",
    responses=_LOAD,
)
def get_planes(
    name: ModelName,
    version: Version,
    models: Models,
    caller: PredictCaller,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """Return the fitted hyperplanes.

    For a kernel model, `limit` and `offset` select a page of the landmarks and their coefficients.
    """
    return JsonResponse(models.planes(name, version, limit, offset))


@router.get(
    "/{name}/versions/{version}/memberships",
    response_model=MembershipPage,
    summary="Get the memberships of the training rows",
    response_description="A page of training rows.",
    responses=_LOAD,
)
def get_memberships(
    name: ModelName,
    version: Version,
    models: Models,
    caller: PredictCaller,
    sort: Annotated[
        Sort,
        Query(
            description="Column to sort by. A leading `-` sorts in descending order. `distance` is "
            "the distance to the plane of the row's own class."
        ),
    ] = "row",
    suspected: Annotated[
        bool | None,
        Query(
            description="`true`: return only rows whose label is suspected to be wrong. `false`: "
            "return only the other rows. Default: return all rows."
        ),
    ] = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """Return the training rows with their memberships, labels, predictions and distances.

    A low membership marks a row that looks like noise, for example one with a wrong label.
    """
    page = models.memberships(
        name, version, sort=sort, suspected=suspected, limit=limit, offset=offset
    )
    return JsonResponse(page)


@router.get(
    "/{name}/versions/{version}/search",
    response_model=SearchPage,
    summary="Get the configurations of a search",
    response_description="A page of configurations.",
    responses=_SEARCH,
)
def get_search(
    name: ModelName,
    version: Version,
    models: Models,
    caller: PredictCaller,
    sort: Annotated[
        Literal["rank", "number"],
        Query(description="`rank`: best score first. `number`: in the order in which they ran."),
    ] = "rank",
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """Return the configurations that the parameter search of a version has tried."""
    return JsonResponse(models.search(name, version, sort=sort, limit=limit, offset=offset))


@router.get(
    "/{name}/versions/{version}/plots/{plot}.svg",
    response_class=Response,
    summary="Get a plot of a search",
    responses={
        200: {
            "description": "The plot as an SVG image.",
            "content": {SVG: {"schema": {"type": "string"}}},
        },
        **_SEARCH,
    },
)
def get_plot(
    name: ModelName,
    version: Version,
    plot: Annotated[
        PlotName,
        Path(
            description="`c1-c3`: heat map of the scores over c1 and c3. `gamma`, `mu`: line chart "
            "of the scores over this parameter."
        ),
    ],
    models: Models,
    caller: PredictCaller,
) -> Response:
    """Plot the scores of a parameter search.

    For each value of the plotted parameters, the plot shows the best score over all values of the
    other parameters.
    """
    drawing = models.plot(name, version, plot)
    return Response(drawing, media_type=SVG, headers=_PLOT_HEADERS)


@router.put(
    "/{name}/aliases/{alias}",
    response_model=AliasInfo,
    summary="Move an alias",
    response_description="The alias after the change.",
    responses=_ALIAS,
    openapi_extra=json_body(AliasRequest, {"version": 3}),
)
async def move_alias(
    request: Request, name: ModelName, alias: AliasName, models: Models, caller: AdminCaller
) -> Response:
    """Point an alias at a version, atomically. The alias is created if it does not exist.

    Requests that name neither a version nor an alias use the alias `production`, if it exists.
    """
    wanted = await read_json(request, AliasRequest)
    return JsonResponse(await run_in_threadpool(models.move_alias, name, alias, wanted.version))


@router.post(
    "/{name}/aliases/{alias}/rollback",
    response_model=AliasInfo,
    summary="Roll back an alias",
    response_description="The alias after the change.",
    responses=documented(
        *_COMMON,
        errors.ModelNotFound,
        errors.AliasNotFound,
        errors.NothingToRollBack,
        errors.StoreFull,
    ),
)
def roll_back_alias(
    name: ModelName, alias: AliasName, models: Models, caller: AdminCaller
) -> Response:
    """Point an alias at its previous version. Versions that were deleted since are skipped."""
    return JsonResponse(models.roll_back_alias(name, alias))


@router.delete(
    "/{name}/aliases/{alias}",
    status_code=204,
    summary="Remove an alias",
    response_description="The alias was removed.",
    responses=documented(*_COMMON, errors.ModelNotFound, errors.AliasNotFound, errors.StoreFull),
)
def remove_alias(
    name: ModelName, alias: AliasName, models: Models, caller: AdminCaller
) -> Response:
    """Remove an alias. The version that it points at is kept."""
    models.remove_alias(name, alias)
    return Response(status_code=204)
