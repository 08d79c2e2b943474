"""The application: one object graph behind the routes."""

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
    "Trains and serves Fast and Robust Twin Support Vector Machines: versioned models with a "
    "certificate of optimality and a list of the training rows that look mislabelled."
)


class Service(FastAPI):
    """An application behind a few layers of our own, of which some calls do not pass the last.

    Added as middleware they would sit inside the framework's own layers, which cost as much as a
    small prediction.
    """

    front: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        await self.front(scope, receive, send)

    async def framework(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve what has passed all layers."""
        await super().__call__(scope, receive, send)


def _front(
    app: Service,
    settings: Settings,
    table: RouteTable,
    recorder: Recorder,
    in_flight: InFlight,
) -> ASGIApp:
    """From the inside out."""
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
    """An application of its own, with its own store, engine and metrics."""
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
        docs_url=None,  # the framework's pages load scripts from elsewhere; ours is in app/web
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
    app.front = _front(app, settings, table, recorder, in_flight)
    return app


def from_environment() -> FastAPI:
    """What each uvicorn worker calls: `uvicorn --factory app.main:from_environment`."""
    # Predictions run beside each other, each on one core: threads inside of one would only spin.
    threadpool_limits(1, "blas")
    # Large batches are computed in threads; a small call must not wait 5 ms for each of its turns.
    sys.setswitchinterval(0.001)
    when_parent_ends(lambda: os.kill(os.getpid(), signal.SIGTERM))
    keep_freed_memory()
    settings = Settings()
    configure_logging(settings.log_format, settings.log_level)
    return create_app(settings)


def _drain_on_signal(container: Container) -> None:
    """Let streams end and readiness fail as soon as the server is told to stop.

    uvicorn waits for open connections before it ends the lifespan, and an event stream would keep
    it waiting. So its signal handlers get a step put before them.
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
