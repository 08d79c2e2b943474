"""uvicorn with our protocol, our logs and our rules about where to listen."""

from __future__ import annotations

import ipaddress
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import uvicorn

from app.api.deadline import protocol_with_limits
from app.api.protocol import FastPathProtocol
from app.api.workers import never_wait_for_workers
from app.observability.logs import configure_logging
from app.observability.metrics import SHARED_FOLDER
from app.settings import Settings

FACTORY = "app.main:from_environment"
#: Seconds without a sign of life after which a worker is replaced. A machine that is short of processors
#: takes longer than the usual five to start one, and would kill and start it for ever.
WORKER_SILENCE = 30


class LimitedProtocol(FastPathProtocol):
    """The protocol of a worker, which finds its limits in the environment as all else."""

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
    """Serving like this would be open to everyone."""


def require_safe(settings: Settings) -> None:
    """Without keys, listen on loopback only, unless told otherwise."""
    if settings.api_keys or settings.allow_open or is_loopback(settings.host):
        return
    raise RefusedToListen(
        f"refusing to listen on {settings.host} without API keys: anyone who reaches it could train, "
        "predict and delete. Make a key with `frtsvm keys new`, or set FRTSVM_ALLOW_OPEN=1."
    )


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach that address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def serve(settings: Settings) -> None:
    """Serve until told to stop."""
    require_safe(settings)
    configure_logging(settings.log_format, settings.log_level)
    never_wait_for_workers()
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
            timeout_worker_healthcheck=WORKER_SILENCE,
            timeout_graceful_shutdown=int(settings.shutdown_grace) + 5,
        )


@contextmanager
def _shared_metrics(settings: Settings) -> Iterator[None]:
    """A folder through which the workers count together, removed in the end."""
    folder = settings.home.absolute() / f"metrics-{os.getpid()}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.environ[SHARED_FOLDER] = str(folder)
    try:
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)
