"""Signatures as prose: what a route needs, named by type."""

from __future__ import annotations

import ipaddress
from typing import Annotated, cast

from fastapi import Depends, Path, Query, Request, Security
from fastapi.security import APIKeyHeader, HTTPAuthorizationCredentials, HTTPBearer

from app.container import Container
from app.errors import NotPermitted, ShuttingDown
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


def key_of(request: Request) -> bytes | None:
    """The key as it came, in bytes: comparing text would fail on what is not ASCII."""
    authorization = request.headers.get("authorization", "")
    scheme, _, key = authorization.partition(" ")
    if scheme.lower() == "bearer" and key.strip():
        return key.strip().encode("latin-1", "replace")
    given = request.headers.get("x-api-key")
    return given.encode("latin-1", "replace") if given else None


def require_scope(request: Request, scope: Scope) -> KeyEntry:
    """The caller, if the call is his to make."""
    container = container_of(request)
    if container.access.is_open and not container.settings.allow_open:
        _require_loopback(request)
    return container.access.require(key_of(request), scope)


def _require_loopback(request: Request) -> None:
    """Without keys, connections that come in on another interface are turned away.

    `frtsvm serve` refuses to listen there at all; this holds for other ways to start, too.
    """
    server = request.scope.get("server") or ("", None)
    try:
        address = ipaddress.ip_address(server[0])
    except ValueError:  # a socket file, or a test
        return
    if not address.is_loopback:
        raise NotPermitted("the service has no API keys and answers on loopback only")


class _Requires:
    """A dependency that checks one scope, and documents how to pass it."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def __call__(
        self,
        request: Request,
        _credentials: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
        _key: Annotated[str | None, Security(_header)],
    ) -> KeyEntry:
        return require_scope(request, self._scope)


Predicting = Annotated[KeyEntry, Depends(_Requires(Scope.PREDICT))]
Training = Annotated[KeyEntry, Depends(_Requires(Scope.TRAIN))]
Administrating = Annotated[KeyEntry, Depends(_Requires(Scope.ADMIN))]


def _predictions(request: Request) -> PredictionService:
    return container_of(request).predictions


def _trainings(request: Request) -> TrainingService:
    container = container_of(request)
    if container.draining.is_set():
        raise ShuttingDown("the server is stopping")
    return container.trainings


def _models(request: Request) -> ModelService:
    return container_of(request).models


def _jobs(request: Request) -> JobService:
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
