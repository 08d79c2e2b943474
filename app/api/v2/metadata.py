"""What the server is, and what its models take and give."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from app.api.deps import ModelName, Predicting, Version, container_of
from app.api.responses import JsonResponse
from app.api.v2 import errors
from app.schemas.v2 import ModelConfig, ModelMetadata, ModelReady, ServerMetadata

router = APIRouter(prefix="/v2", tags=["inference protocol"])

EXTENSIONS = ["binary_tensor_data", "model_configuration", "model_repository", "statistics"]


@router.get("", response_model=ServerMetadata, responses=errors.SERVER)
async def get_server_metadata(request: Request, caller: Predicting) -> Response:
    """Name, version, extensions of the protocol."""
    return JsonResponse(
        {"name": "frtsvm", "version": request.app.version, "extensions": EXTENSIONS}
    )


@router.get("/models/{name}", response_model=ModelMetadata, responses=errors.READ)
def get_model_metadata(request: Request, name: ModelName, caller: Predicting) -> Response:
    """The tensors of the version that answers when none is named, and all versions."""
    return JsonResponse(container_of(request).repository.metadata(name, None))


@router.get(
    "/models/{name}/versions/{version}", response_model=ModelMetadata, responses=errors.READ
)
def get_version_metadata(
    request: Request, name: ModelName, version: Version, caller: Predicting
) -> Response:
    """The tensors of one version, and all versions."""
    return JsonResponse(container_of(request).repository.metadata(name, version))


@router.get("/models/{name}/ready", response_model=ModelReady, responses=errors.LOAD)
def is_model_ready(request: Request, name: ModelName, caller: Predicting) -> Response:
    """200 if the version that answers when none is named is loaded, or was by this call."""
    container_of(request).inference.load(name, None)
    return JsonResponse({"name": name, "ready": True})


@router.get(
    "/models/{name}/versions/{version}/ready", response_model=ModelReady, responses=errors.LOAD
)
def is_version_ready(
    request: Request, name: ModelName, version: Version, caller: Predicting
) -> Response:
    """200 if the version is loaded, or was by this call."""
    container_of(request).inference.load(name, version)
    return JsonResponse({"name": name, "ready": True})


@router.get("/models/{name}/config", response_model=ModelConfig, responses=errors.READ)
def get_model_config(request: Request, name: ModelName, caller: Predicting) -> Response:
    """The tensors in the shape of a Triton configuration, with the classes as a parameter."""
    return JsonResponse(container_of(request).repository.config(name, None))


@router.get(
    "/models/{name}/versions/{version}/config", response_model=ModelConfig, responses=errors.READ
)
def get_version_config(
    request: Request, name: ModelName, version: Version, caller: Predicting
) -> Response:
    """The same for one version."""
    return JsonResponse(container_of(request).repository.config(name, version))
