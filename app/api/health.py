"""Liveness, readiness and metrics."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from app import errors
from app.api.deps import MetricsCaller, container_of
from app.api.problems import documented
from app.api.responses import JsonResponse

router = APIRouter(tags=["health"])


class Health(BaseModel):
    """Result of a health check that succeeded."""

    status: str = Field(description="`ok` for liveness, `ready` for readiness.")


@router.get(
    "/healthz",
    response_model=Health,
    summary="Check liveness",
    response_description="The process is alive.",
)
async def is_alive() -> Response:
    """Return 200 as long as the process can respond. No API key is required."""
    return JsonResponse({"status": "ok"})


@router.get(
    "/readyz",
    response_model=Health,
    summary="Check readiness",
    response_description="The server is ready.",
    responses=documented(errors.StoreUnavailable, errors.ShuttingDown, errors.StoreFull),
)
def is_ready(request: Request) -> Response:
    """Return 200 if the server can serve requests.

    The check requires that the database responds, the data folder is writable and the server is
    not stopping. No API key is required.
    """
    container = container_of(request)
    container.require_running()
    container.store.require_ready()
    return JsonResponse({"status": "ready"})


@router.get(
    "/readyz/predictions",
    response_model=Health,
    summary="Check readiness for predictions",
    response_description="The server is ready for predictions.",
    responses=documented(errors.ShuttingDown),
)
async def is_ready_to_predict(request: Request) -> Response:
    """Return 200 unless the server is stopping.

    Unlike `/readyz`, this check does not need the database: models that are loaded predict without
    it, so a load balancer that uses this check keeps sending predictions during an outage of the
    database. No API key is required.
    """
    container_of(request).require_running()
    return JsonResponse({"status": "ready"})


@router.get(
    "/metrics",
    response_class=Response,
    summary="Get metrics",
    responses={
        200: {
            "description": "The metrics in the Prometheus text format.",
            "content": {"text/plain": {"schema": {"type": "string"}}},
        },
        **documented(errors.NotAuthenticated, errors.NotPermitted),
    },
)
def get_metrics(request: Request, caller: MetricsCaller) -> Response:
    """Return the metrics in the Prometheus text format.

    If API keys are configured, the call needs one with scope `metrics`. Prometheus can send it as
    a bearer token.
    """
    text = container_of(request).render_metrics()
    return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")
