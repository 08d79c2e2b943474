"""Is it alive, is it ready, what has it done."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from app import errors
from app.api.deps import Watching, container_of
from app.api.problems import documented
from app.api.responses import JsonResponse

router = APIRouter(tags=["health"])


class Health(BaseModel):
    """All is well."""

    status: str


@router.get("/healthz", response_model=Health)
async def is_alive() -> Response:
    """The process answers. Needs no key."""
    return JsonResponse({"status": "ok"})


@router.get(
    "/readyz",
    response_model=Health,
    responses=documented(errors.StoreUnavailable, errors.ShuttingDown, errors.StoreFull),
)
def is_ready(request: Request) -> Response:
    """The database answers, the folder can be written, and the server is not stopping."""
    container = container_of(request)
    container.require_running()
    container.store.require_ready()
    return JsonResponse({"status": "ready"})


@router.get("/readyz/predictions", response_model=Health, responses=documented(errors.ShuttingDown))
async def is_ready_to_predict(request: Request) -> Response:
    """The server is not stopping. It has had its database, or it would not have started, and models that
    are loaded predict without it: a balancer that asks here keeps sending. Needs no key."""
    container_of(request).require_running()
    return JsonResponse({"status": "ready"})


@router.get(
    "/metrics",
    response_class=Response,
    responses={
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}},
        **documented(errors.NotAuthenticated, errors.NotPermitted),
    },
)
def get_metrics(request: Request, caller: Watching) -> Response:
    """For Prometheus, which can send a key as bearer token."""
    text = container_of(request).render_metrics()
    return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")
