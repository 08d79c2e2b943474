"""The ASGI application: routes, middleware and the objects behind them."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send
from threadpoolctl import threadpool_limits

from app.api import health, jobs, models, predict, train, v2
from app.api.body_limit import BodyLimit, InFlight
from app.api.encodings import ContentDecoding
from app.api.fast_path import FAST_PATH, FastPath
from app.api.handlers import install_handlers
from app.api.middleware import RequestContext
from app.api.openapi import openapi_of
from app.api.raw import RawRoutes, RouteTable
from app.api.recording import Recorder
from app.api.v2.errors import ProtocolErrors
from app.container import Container
from app.memory import keep_freed_memory
from app.observability.logs import configure_logging
from app.processes import when_parent_ends
from app.settings import Settings
from app.web.studio import studio_router

DESCRIPTION = (
    "Trains and serves Fast and Robust Twin Support Vector Machines, the method of Gao and Wang "
    '(arXiv:1711.05406, called "the paper" below). Each model version has a certificate of '
    "optimality and a list of the training rows that are probably mislabeled.\n\n"
    "If the service has API keys, all operations except the health checks need a key with a scope: "
    "`metrics` for the metrics, `predict` for predictions and for reading models, `train` for "
    "trainings and jobs, `admin` for aliases and for deleting, loading and unloading models. Each "
    "scope includes the scopes named before it."
)


class Service(FastAPI):
    """A FastAPI application wrapped in the middleware of the service (`_with_middleware`).

    The innermost layer, `RawRoutes`, responds to predictions without calling FastAPI. Middleware
    added with `add_middleware` would run inside the layers of Starlette and FastAPI, which take as
    long as a small prediction.
    """

    outermost: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        await self.outermost(scope, receive, send)

    async def framework(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request that no middleware has answered."""
        await super().__call__(scope, receive, send)


def _with_middleware(
    app: Service,
    settings: Settings,
    table: RouteTable,
    recorder: Recorder,
    in_flight: InFlight,
) -> ASGIApp:
    """Wrap the application; the last layer added is the outermost."""
    layers: ASGIApp = RawRoutes(app.framework, table)
    layers = BodyLimit(
        layers,
        max_bytes=settings.max_body_bytes,
        in_flight=in_flight,
        timeout=settings.body_timeout,
    )
    layers = ContentDecoding(layers)
    layers = RequestContext(layers, recorder)
    return ProtocolErrors(layers)


def create_app(settings: Settings) -> Service:
    """Create an application with its own store, job engine and metrics."""
    container = Container(settings)
    recorder = Recorder(container.metrics, settings.access_log)
    in_flight = InFlight(settings.max_bytes_in_flight)
    table = RouteTable([*predict.raw_routes(container), *v2.infer.raw_routes(container)])

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[dict[str, FastPath]]:
        _drain_on_signal(container)
        container.start()
        try:
            yield {FAST_PATH: FastPath(table, recorder, settings.max_body_bytes, in_flight)}
        finally:
            container.close()

    app = Service(
        title="FR-TSVM Service",
        version=version("frtsvm-service"),
        description=DESCRIPTION,
        lifespan=lifespan,
        redirect_slashes=False,
        docs_url=None,  # FastAPI's page loads scripts from another host; app/web has its own
        redoc_url=None,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.container = container
    routers = [module.router for module in (predict, *v2.MODULES, train, models, jobs, health)]
    routers.append(studio_router())
    for router in routers:
        app.include_router(router)
    install_handlers(app, routers)
    app.openapi = lambda: openapi_of(app)  # type: ignore[method-assign]
    app.outermost = _with_middleware(app, settings, table, recorder, in_flight)
    return app


def from_environment() -> FastAPI:
    """Create the application of one uvicorn worker from the environment variables."""
    # Predictions run in parallel, each on one CPU core; BLAS threads would compete for the cores.
    threadpool_limits(1, "blas")
    # Large batches are computed in threads. With the default interval, a small request would wait
    # 5 ms each time it needs the interpreter lock.
    sys.setswitchinterval(0.001)
    when_parent_ends(lambda: os.kill(os.getpid(), signal.SIGTERM))
    keep_freed_memory()
    settings = Settings()
    configure_logging(settings.log_format, settings.log_level)
    return create_app(settings)


def _drain_on_signal(container: Container) -> None:
    """End event streams and fail the readiness check as soon as the server receives a stop signal.

    uvicorn waits for open connections before it ends the lifespan, so an open event stream would
    delay the shutdown. Therefore this runs before uvicorn's own signal handlers.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGTERM, signal.SIGINT):
        before = signal.getsignal(number)

        def drain(signum: int, frame: Any, before: Any = before) -> None:
            container.drain()
            if callable(before):
                before(signum, frame)

        if callable(before):
            signal.signal(number, drain)
