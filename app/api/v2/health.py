"""Is the server alive, is it ready. Needs no key."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from app.api.deps import container_of
from app.api.responses import JsonResponse
from app.api.v2 import errors
from app.schemas.v2 import ServerLive, ServerReady

router = APIRouter(prefix="/v2/health", tags=["inference protocol"])


@router.get("/live", response_model=ServerLive)
async def is_server_live() -> Response:
    """The process answers."""
    return JsonResponse({"live": True})


@router.get("/ready", response_model=ServerReady, responses=errors.READY)
def is_server_ready(request: Request) -> Response:
    """The database answers, the folder can be written, and the server is not stopping."""
    container = container_of(request)
    container.require_running()
    container.store.require_ready()
    return JsonResponse({"ready": True})
