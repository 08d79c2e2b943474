"""Metadata of the server and its models: versions, input and output tensors."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from app.api.deps import ModelName, PredictCaller, Version, container_of
from app.api.responses import JsonResponse
from app.api.v2 import errors
from app.schemas.v2 import ModelConfig, ModelMetadata, ModelReady, ServerMetadata

router = APIRouter(prefix="/v2", tags=["inference protocol"])

EXTENSIONS = ["binary_tensor_data", "model_configuration", "model_repository", "statistics"]


@router.get(
    "",
    response_model=ServerMetadata,
    summary="Get server metadata",
    response_description="The metadata.",
    responses=errors.SERVER,
)
async def get_server_metadata(request: Request, caller: PredictCaller) -> Response:
    """Return the name and version of the server and the protocol extensions that it supports."""
    return JsonResponse(
        {"name": "frtsvm", "version": request.app.version, "extensions": EXTENSIONS}
    )


@router.get(
    "/models/{name}",
    response_model=ModelMetadata,
    summary="Get model metadata",
    response_description="The metadata.",
    responses=errors.READ,
)
def get_model_metadata(request: Request, name: ModelName, caller: PredictCaller) -> Response:
    """Return the tensors of the version that serves the model, and the list of all versions.

    The serving version is that of the alias `production`, or the newest version if that alias does
    not exist.
    """
    return JsonResponse(container_of(request).repository.metadata(name, None))


@router.get(
    "/models/{name}/versions/{version}",
    response_model=ModelMetadata,
    summary="Get version metadata",
    response_description="The metadata.",
    responses=errors.READ_VERSION,
)
def get_version_metadata(
    request: Request, name: ModelName, version: Version, caller: PredictCaller
) -> Response:
    """Return the tensors of one version, and the list of all versions of its model."""
    return JsonResponse(container_of(request).repository.metadata(name, version))


@router.get(
    "/models/{name}/ready",
    response_model=ModelReady,
    summary="Check model readiness",
    response_description="The version is loaded.",
    responses=errors.LOAD,
)
def is_model_ready(request: Request, name: ModelName, caller: PredictCaller) -> Response:
    """Load the version that serves the model, unless it is loaded already, and return 200."""
    container_of(request).inference.load(name, None)
    return JsonResponse({"name": name, "ready": True})


@router.get(
    "/models/{name}/versions/{version}/ready",
    response_model=ModelReady,
    summary="Check version readiness",
    response_description="The version is loaded.",
    responses=errors.LOAD_VERSION,
)
def is_version_ready(
    request: Request, name: ModelName, version: Version, caller: PredictCaller
) -> Response:
    """Load the version, unless it is loaded already, and return 200."""
    container_of(request).inference.load(name, version)
    return JsonResponse({"name": name, "ready": True})


@router.get(
    "/models/{name}/config",
    response_model=ModelConfig,
    summary="Get model configuration",
    response_description="The configuration.",
    responses=errors.READ,
)
def get_model_config(request: Request, name: ModelName, caller: PredictCaller) -> Response:
    """Return the tensors of the version that serves the model, as a Triton configuration.

    The parameter `classes` lists the class labels.
    """
    return JsonResponse(container_of(request).repository.config(name, None))


@router.get(
    "/models/{name}/versions/{version}/config",
    response_model=ModelConfig,
    summary="Get version configuration",
    response_description="The configuration.",
    responses=errors.READ_VERSION,
)
def get_version_config(
    request: Request, name: ModelName, version: Version, caller: PredictCaller
) -> Response:
    """Return the tensors of one version, as a Triton configuration."""
    return JsonResponse(container_of(request).repository.config(name, version))
