"""Exception handlers: every error becomes a problem response."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from app.api.problems import http_problem, problem_of
from app.api.responses import problem_response
from app.errors import ServiceError
from app.schemas.cells import MAX_FLAWS
from app.schemas.validation import flaw_at, invalid

log = logging.getLogger("frtsvm.errors")


def install_handlers(app: FastAPI, routers: Sequence[APIRouter]) -> None:
    """Install the handlers, so that every error response is `application/problem+json`."""

    @app.exception_handler(ServiceError)
    async def domain_error(_request: Request, error: ServiceError) -> Response:
        return respond_to(error)

    @app.exception_handler(RequestValidationError)
    async def bad_parameter(_request: Request, error: RequestValidationError) -> Response:
        # Offending values are left out: they may be huge, not finite, or not encodable.
        flaws = [flaw_at(tuple(e["loc"]), e["msg"]) for e in error.errors()[:MAX_FLAWS]]
        return problem_response(problem_of(invalid(flaws)))

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> Response:
        response = problem_response(http_problem(error.status_code, str(error.detail)))
        response.headers.update(error.headers or {})
        if error.status_code == 405:
            response.headers["allow"] = ", ".join(_methods_at(request, routers))
        return response


def respond_to(error: ServiceError) -> Response:
    """Return the problem response for a service error, and log it if its status is 500 or above."""
    found = problem_of(error)
    if found.status >= 500:
        log.error("request failed with status %d", found.status, exc_info=error)
    return problem_response(found)


def _methods_at(request: Request, routers: Sequence[APIRouter]) -> list[str]:
    """Return all methods of a path; Starlette itself lists only those of its first route."""
    methods: set[str] = set()
    for router in routers:
        for route in router.routes:
            if route.matches(request.scope)[0] is not Match.NONE:
                methods |= getattr(route, "methods", None) or set()
    return sorted(methods) or ["GET"]  # /openapi.json is in no router
