"""Signatures as prose: what a route needs, named by type.

All dependencies are `async`: FastAPI would run others in a thread, which costs more than they do.
"""

from __future__ import annotations

import ipaddress
from functools import lru_cache
from typing import Annotated, cast
from urllib.parse import urlsplit

from fastapi import Depends, Path, Query, Request, Security
from fastapi.security import APIKeyHeader, HTTPAuthorizationCredentials, HTTPBearer

from app.api.messages import Headers, headers_of, server_of
from app.container import Container
from app.errors import NotPermitted
from app.schemas.base import INT64, NAME_PATTERN
from app.schemas.keys import KeyEntry, Scope
from app.services.jobs import JobService
from app.services.models import ModelService
from app.services.prediction import PredictionService
from app.services.training import TrainingService

_bearer = HTTPBearer(auto_error=False, description="An API key.")
_header = APIKeyHeader(name="X-API-Key", auto_error=False, description="An API key.")


def container_of(request: Request) -> Container:
    """The object graph of this application."""
    return cast(Container, request.app.state.container)


def require_scope(request: Request, scope: Scope) -> KeyEntry:
    """The caller, if the call is his to make."""
    connection = request.scope
    return require_caller(
        container_of(request), server_of(connection), headers_of(connection), scope
    )


def require_caller(container: Container, server: str, headers: Headers, scope: Scope) -> KeyEntry:
    """The same, given where the request came in and with what headers."""
    access = container.access
    if access.is_open and not container.settings.allow_open:
        refusal = loopback_refusal(server, headers.get(b"host"), headers.get(b"origin"))
        if refusal is not None:
            raise NotPermitted(refusal)
    return access.require(key_of(headers.get(b"authorization"), headers.get(b"x-api-key")), scope)


def key_of(authorization: bytes | None, api_key: bytes | None) -> bytes | None:
    """The key as it came, in bytes: comparing text would fail on what is not ASCII."""
    if authorization:
        scheme, _, key = authorization.partition(b" ")
        if scheme.lower() == b"bearer" and key.strip():
            return key.strip()
    return api_key or None


@lru_cache(maxsize=256)
def loopback_refusal(server: str, host: bytes | None, origin: bytes | None) -> str | None:
    """Without keys, only programs of this machine are served, and no page of another site.

    `frtsvm serve` refuses to listen elsewhere at all; the first check holds for other ways to
    start. The others are against web pages in a browser on this machine: one that calls us from
    its own site has an `Origin` that is not ours, one whose name was made to point here has a
    `Host` that is not ours.
    """
    named = "localhost" if host is None else host.decode("latin-1")
    if not (is_local(server) and is_local(_host_of(f"//{named}"))):
        return "the service has no API keys and answers on loopback only"
    if origin is not None and not origin.endswith(b"://" + named.encode("latin-1")):
        return "the service has no API keys and does not answer other sites"
    return None


def _host_of(url: str) -> str:
    """The name or address in it; where there is none, something that is not local."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # brackets around what is no address
        return "?"


def is_local(name: str) -> bool:
    """Whether an address or name is this machine, or no address at all (a socket file)."""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or "/" in name or not name


class _Requires:
    """A dependency that checks one scope, and documents how to pass it."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def __call__(
        self,
        request: Request,
        _credentials: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
        _key: Annotated[str | None, Security(_header)],
    ) -> KeyEntry:
        return require_scope(request, self._scope)


Watching = Annotated[KeyEntry, Depends(_Requires(Scope.METRICS))]
Predicting = Annotated[KeyEntry, Depends(_Requires(Scope.PREDICT))]
Training = Annotated[KeyEntry, Depends(_Requires(Scope.TRAIN))]
Administrating = Annotated[KeyEntry, Depends(_Requires(Scope.ADMIN))]


async def _predictions(request: Request) -> PredictionService:
    return container_of(request).predictions


async def _trainings(request: Request) -> TrainingService:
    container = container_of(request)
    container.require_running()
    return container.trainings


async def _models(request: Request) -> ModelService:
    return container_of(request).models


async def _jobs(request: Request) -> JobService:
    return container_of(request).jobs


Predictions = Annotated[PredictionService, Depends(_predictions)]
Trainings = Annotated[TrainingService, Depends(_trainings)]
Models = Annotated[ModelService, Depends(_models)]
Jobs = Annotated[JobService, Depends(_jobs)]

ModelName = Annotated[str, Path(alias="name", pattern=NAME_PATTERN)]
AliasName = Annotated[str, Path(alias="alias", pattern=NAME_PATTERN)]
Version = Annotated[int, Path(alias="version", ge=1, le=INT64)]
JobId = Annotated[str, Path(alias="job", pattern="^[0-9a-f]{32}$")]
Limit = Annotated[int, Query(ge=1, le=1000)]
Offset = Annotated[int, Query(ge=0, le=INT64)]
