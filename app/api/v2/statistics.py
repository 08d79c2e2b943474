"""How often and how long models have answered, in the process that is asked."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from app.api.deps import ModelName, Predicting, Version, container_of
from app.api.responses import JsonResponse
from app.api.v2 import errors
from app.schemas.v2 import Statistics

router = APIRouter(prefix="/v2/models", tags=["inference protocol"])


def _answer(request: Request, name: str | None, version: int | None) -> Response:
    found = container_of(request).repository.statistics(name, version)
    return JsonResponse(Statistics(model_stats=found))


@router.get("/stats", response_model=Statistics, responses=errors.STATISTICS)
def get_statistics(request: Request, caller: Predicting) -> Response:
    """All versions that have answered."""
    return _answer(request, None, None)


@router.get("/{name}/stats", response_model=Statistics, responses=errors.READ)
def get_model_statistics(request: Request, name: ModelName, caller: Predicting) -> Response:
    """The versions of a model that have answered."""
    return _answer(request, name, None)


@router.get("/{name}/versions/{version}/stats", response_model=Statistics, responses=errors.READ)
def get_version_statistics(
    request: Request, name: ModelName, version: Version, caller: Predicting
) -> Response:
    """One version."""
    return _answer(request, name, version)
