"""Runs uvicorn with the service's protocol, logging and rules about the listening address."""

from __future__ import annotations

import ipaddress
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import uvicorn

from app.api.deadline import protocol_with_limits
from app.api.protocol import FastPathProtocol
from app.api.workers import use_nonblocking_workers
from app.observability.logs import configure_logging
from app.observability.metrics import SHARED_FOLDER
from app.settings import Settings

FACTORY = "app.main:from_environment"
#: Seconds without a response to the health check after which a worker is replaced. uvicorn's
#: default of 5 seconds is too short: a busy machine takes longer to start a worker, which would
#: then be killed and restarted forever.
WORKER_HEALTH_TIMEOUT = 30


class LimitedProtocol(FastPathProtocol):
    """Protocol of a worker process, which reads its limits from the settings."""

    configured = False

    def __init__(self, *args: object, **kwargs: object) -> None:
        if not LimitedProtocol.configured:
            settings = Settings()
            protocol_with_limits(
                settings.header_timeout,
                settings.body_timeout,
                settings.max_header_bytes,
                settings.max_headers,
            )
            LimitedProtocol.configured = True
        super().__init__(*args, **kwargs)


class RefusedToListen(Exception):
    """Raised if the server would accept requests from the network without API keys."""


def require_safe(settings: Settings) -> None:
    """Refuse to listen beyond loopback without API keys, unless FRTSVM_ALLOW_OPEN is set."""
    if settings.api_keys or settings.allow_open or is_loopback(settings.host):
        return
    raise RefusedToListen(
        f"Refusing to listen on {settings.host} without API keys: anyone who can reach this "
        "address could train, predict and delete. Create a key with `frtsvm keys new` and set it "
        "in FRTSVM_API_KEYS, or set FRTSVM_ALLOW_OPEN=1."
    )


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def serve(settings: Settings) -> None:
    """Run the server until it is stopped."""
    require_safe(settings)
    configure_logging(settings.log_format, settings.log_level)
    use_nonblocking_workers()
    with _shared_metrics(settings) if settings.workers > 1 else nullcontext():
        uvicorn.run(
            FACTORY,
            factory=True,
            host=settings.host,
            port=settings.port,
            workers=settings.workers,
            http=LimitedProtocol,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_keep_alive=settings.keep_alive,
            timeout_worker_healthcheck=WORKER_HEALTH_TIMEOUT,
            timeout_graceful_shutdown=int(settings.shutdown_grace) + 5,
        )


@contextmanager
def _shared_metrics(settings: Settings) -> Iterator[None]:
    """Provide a folder for metrics that the workers share; it is removed at the end."""
    folder = settings.home.absolute() / f"metrics-{os.getpid()}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.environ[SHARED_FOLDER] = str(folder)
    try:
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)
