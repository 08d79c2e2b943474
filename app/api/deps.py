"""Dependencies of the routes, as annotated types: services, callers with a scope, parameters.

All dependencies are `async`, because FastAPI runs others in a thread, which costs more than the
dependency itself.
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

_bearer = HTTPBearer(auto_error=False, description="An API key as a bearer token.")
_header = APIKeyHeader(name="X-API-Key", auto_error=False, description="An API key.")


def container_of(request: Request) -> Container:
    """Return the service container of this application."""
    return cast(Container, request.app.state.container)


def require_scope(request: Request, scope: Scope) -> KeyEntry:
    """Return the caller's key entry if it grants `scope`, else raise."""
    connection = request.scope
    return require_caller(
        container_of(request), server_of(connection), headers_of(connection), scope
    )


def require_caller(container: Container, server: str, headers: Headers, scope: Scope) -> KeyEntry:
    """Do the same as `require_scope`, given the server address and the request headers."""
    access = container.access
    if access.is_open and not container.settings.allow_open:
        refusal = loopback_refusal(server, headers.get(b"host"), headers.get(b"origin"))
        if refusal is not None:
            raise NotPermitted(refusal)
    return access.require(key_of(headers.get(b"authorization"), headers.get(b"x-api-key")), scope)


def key_of(authorization: bytes | None, api_key: bytes | None) -> bytes | None:
    """Return the API key from either header, if any, as bytes: `hash_key` needs no text."""
    if authorization:
        scheme, _, key = authorization.partition(b" ")
        if scheme.lower() == b"bearer" and key.strip():
            return key.strip()
    return api_key or None


@lru_cache(maxsize=256)
def loopback_refusal(server: str, host: bytes | None, origin: bytes | None) -> str | None:
    """Return why a request is refused while no API keys are configured, or None if it is allowed.

    Without keys, only programs on this machine and pages of the service itself may call it. The
    command `frtsvm serve` refuses to listen on other addresses; the check of `server` covers other
    ways to start the service. The other checks stop web pages in a browser on this machine: a page
    of another site sends a foreign `Origin`, and a page that reaches the service by DNS rebinding
    sends a foreign `Host`.
    """
    named = "localhost" if host is None else host.decode("latin-1")
    if not (is_local(server) and is_local(_host_of(f"//{named}"))):
        return (
            "The service has no API keys, so it accepts requests from this machine only. "
            "Configure FRTSVM_API_KEYS to allow others."
        )
    if origin is not None and not origin.endswith(b"://" + named.encode("latin-1")):
        return (
            "The service has no API keys, so it refuses requests from pages of other sites. "
            "Configure FRTSVM_API_KEYS to allow them."
        )
    return None


def _host_of(url: str) -> str:
    """Return the host in a URL. For an invalid URL, return a name that `is_local` rejects."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # brackets around something other than an IPv6 address
        return "?"


def is_local(name: str) -> bool:
    """Return whether a name or address means this machine; a Unix socket counts as such."""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or "/" in name or not name


class _RequireScope:
    """Dependency that requires one scope and documents the key in the OpenAPI document."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def __call__(
        self,
        request: Request,
        _credentials: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
        _key: Annotated[str | None, Security(_header)],
    ) -> KeyEntry:
        return require_scope(request, self._scope)


MetricsCaller = Annotated[KeyEntry, Depends(_RequireScope(Scope.METRICS))]
PredictCaller = Annotated[KeyEntry, Depends(_RequireScope(Scope.PREDICT))]
TrainCaller = Annotated[KeyEntry, Depends(_RequireScope(Scope.TRAIN))]
AdminCaller = Annotated[KeyEntry, Depends(_RequireScope(Scope.ADMIN))]


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

ModelName = Annotated[
    str, Path(alias="name", pattern=NAME_PATTERN, description="Name of the model.")
]
AliasName = Annotated[
    str,
    Path(alias="alias", pattern=NAME_PATTERN, description="Name of the alias, e.g. `production`."),
]
Version = Annotated[
    int, Path(alias="version", ge=1, le=INT64, description="Version number, counted from 1.")
]
JobId = Annotated[
    str,
    Path(alias="job", pattern="^[0-9a-f]{32}$", description="Job id: 32 hexadecimal digits."),
]
Limit = Annotated[int, Query(ge=1, le=1000, description="Largest number of items to return.")]
Offset = Annotated[
    int, Query(ge=0, le=INT64, description="Number of items to skip before the first one returned.")
]
