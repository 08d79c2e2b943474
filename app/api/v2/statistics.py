"""Inference statistics of the web process that receives the request."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from app.api.deps import ModelName, PredictCaller, Version, container_of
from app.api.responses import JsonResponse
from app.api.v2 import errors
from app.schemas.v2 import Statistics

router = APIRouter(prefix="/v2/models", tags=["inference protocol"])


def _respond(request: Request, name: str | None, version: int | None) -> Response:
    found = container_of(request).repository.statistics(name, version)
    return JsonResponse(Statistics(model_stats=found))


@router.get(
    "/stats",
    response_model=Statistics,
    summary="Get inference statistics",
    response_description="The statistics.",
    responses=errors.STATISTICS,
)
def get_statistics(request: Request, caller: PredictCaller) -> Response:
    """Return the statistics of all versions that have served inference requests.

    Each web process counts its own requests under /v2. The response covers the web process that
    received this request.
    """
    return _respond(request, None, None)


@router.get(
    "/{name}/stats",
    response_model=Statistics,
    summary="Get inference statistics of a model",
    response_description="The statistics.",
    responses=errors.READ,
)
def get_model_statistics(request: Request, name: ModelName, caller: PredictCaller) -> Response:
    """Return the statistics of the versions of a model that have served inference requests.

    Each web process counts its own requests under /v2. The response covers the web process that
    received this request.
    """
    return _respond(request, name, None)


@router.get(
    "/{name}/versions/{version}/stats",
    response_model=Statistics,
    summary="Get inference statistics of a version",
    response_description="The statistics.",
    responses=errors.READ_VERSION,
)
def get_version_statistics(
    request: Request, name: ModelName, version: Version, caller: PredictCaller
) -> Response:
    """Return the inference statistics of one version.

    Each web process counts its own requests under /v2. The response covers the web process that
    received this request.
    """
    return _respond(request, name, version)
