"""Liveness and readiness of the server. No API key is required."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from app.api.deps import container_of
from app.api.responses import JsonResponse
from app.api.v2 import errors
from app.schemas.v2 import ServerLive, ServerReady

router = APIRouter(prefix="/v2/health", tags=["inference protocol"])


@router.get(
    "/live",
    response_model=ServerLive,
    summary="Check server liveness",
    response_description="The process is alive.",
)
async def is_server_live() -> Response:
    """Return 200 as long as the process can respond. No API key is required."""
    return JsonResponse({"live": True})


@router.get(
    "/ready",
    response_model=ServerReady,
    summary="Check server readiness",
    response_description="The server is ready.",
    responses=errors.READY,
)
def is_server_ready(request: Request) -> Response:
    """Return 200 if the server can serve requests.

    The check requires that the database responds, the data folder is writable and the server is
    not stopping. No API key is required.
    """
    container = container_of(request)
    container.require_running()
    container.store.require_ready()
    return JsonResponse({"ready": True})
