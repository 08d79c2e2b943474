"""The application: one object graph behind the routes."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI

from app.api import health, jobs, models, predict, train
from app.api.body_limit import BodyLimit
from app.api.handlers import install_handlers
from app.api.middleware import RequestContext
from app.api.openapi import openapi_of
from app.container import Container
from app.observability.logs import configure_logging
from app.processes import when_parent_ends
from app.settings import Settings
from app.web.studio import studio_router

DESCRIPTION = (
    "Trains and serves Fast and Robust Twin Support Vector Machines: versioned models with a "
    "certificate of optimality and a list of the training rows that look mislabelled."
)


def create_app(settings: Settings) -> FastAPI:
    """An application of its own, with its own store, engine and metrics."""
    container = Container(settings)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        _drain_on_signal(container)
        container.start()
        try:
            yield
        finally:
            container.close()

    app = FastAPI(
        title="FR-TSVM Service",
        version=version("frtsvm-service"),
        description=DESCRIPTION,
        lifespan=lifespan,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.container = container
    routers = [module.router for module in (predict, train, models, jobs, health)]
    routers.append(studio_router())
    for router in routers:
        app.include_router(router)
    install_handlers(app, routers)
    app.openapi = lambda: openapi_of(app)  # type: ignore[method-assign]
    # The last one added is the outermost.
    app.add_middleware(
        BodyLimit,
        max_bytes=settings.max_body_bytes,
        max_in_flight=settings.max_bytes_in_flight,
        timeout=settings.body_timeout,
    )
    app.add_middleware(RequestContext, metrics=container.metrics, access_log=settings.access_log)
    return app


def from_environment() -> FastAPI:
    """What each uvicorn worker calls: `uvicorn --factory app.main:from_environment`."""
    when_parent_ends(lambda: os.kill(os.getpid(), signal.SIGTERM))
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
