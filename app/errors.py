"""Errors that a caller may see, independent of HTTP.

`app.api.problems` maps each class to a status code; a test asserts that no class is missing there.
The name of a class is part of its problem type URI, and the first line of its docstring is its
description in the OpenAPI document.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Flaw:
    """One error in the caller's data, and its position.

    `row` and `column` count from 0, as the caller's arrays do. In a field that is a list of other
    things than rows, `row` is the position in the list. `column` may also be a name.
    """

    detail: str
    field: str | None = None
    row: int | None = None
    column: int | str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the parts that are set."""
        parts = {
            "field": self.field,
            "row": self.row,
            "column": self.column,
            "detail": self.detail,
        }
        return {key: value for key, value in parts.items() if value is not None}


class ServiceError(Exception):
    """Base class of all errors that a caller may see.

    `flaws` lists single errors in the caller's data. `numbers` are additional members of the
    problem document for programs, for example a limit and the value that exceeds it.
    """

    #: Seconds after which the caller may try again; None if waiting does not help.
    retry_after: int | None = None

    def __init__(
        self, detail: str, *, flaws: Sequence[Flaw] = (), numbers: dict[str, Any] | None = None
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.flaws = tuple(flaws)
        self.numbers = dict(numbers or {})


# --- the request -----------------------------------------------------------------------------


class MalformedBody(ServiceError):
    """The body cannot be parsed in its declared format (JSON, CSV, Parquet, ...)."""


class InvalidRequest(ServiceError):
    """A field of the request is missing, unknown or has an invalid value."""


class UnsupportedMediaType(ServiceError):
    """The operation does not accept this content type or content encoding."""


class NotAcceptable(ServiceError):
    """The response is not available in any of the formats that the request accepts."""


class BodyTooLarge(ServiceError):
    """The body has more bytes than allowed."""


class BodyTooSlow(ServiceError):
    """The body did not arrive within the time limit."""


class TooManyBytesInFlight(ServiceError):
    """The request bodies being received already use all memory reserved for bodies."""

    retry_after = 1


class HeadersTooLarge(ServiceError):
    """The request headers have more bytes or fields than allowed."""


class DataTooLarge(ServiceError):
    """The data have more rows, features, cells or classes than allowed."""


class MemoryBudgetExceeded(ServiceError):
    """The estimated memory of the training exceeds the limit; the training was not started."""


class OneClassOnly(ServiceError):
    """All labels are equal; a classifier needs at least two classes."""


class TooFewRows(ServiceError):
    """The data, or one class, have fewer rows than the training needs."""


class FeatureMismatch(ServiceError):
    """The rows do not have the features that the model was trained on."""


# --- authentication --------------------------------------------------------------------------


class NotAuthenticated(ServiceError):
    """The API key is missing or unknown."""


class NotPermitted(ServiceError):
    """The API key does not have the scope that the operation needs."""


# --- the store -------------------------------------------------------------------------------


class ModelNotFound(ServiceError):
    """There is no model of this name."""


class VersionNotFound(ServiceError):
    """The model has no version of this number."""


class AliasNotFound(ServiceError):
    """The model has no alias of this name."""


class SearchNotFound(ServiceError):
    """The version was trained without a search, or its search did not vary the given parameter."""


class VersionInUse(ServiceError):
    """An alias points to the version."""


class NothingToRollBack(ServiceError):
    """The alias has no earlier target that still exists."""


class ArtifactDamaged(ServiceError):
    """The stored file of the version is missing, was altered or cannot be read."""


class StoreUnavailable(ServiceError):
    """The database or the artifact storage cannot be reached, read or written."""

    retry_after = 5


class StoreFull(ServiceError):
    """The disk or the database has no space left."""

    retry_after = 30


# --- jobs ------------------------------------------------------------------------------------


class JobNotFound(ServiceError):
    """There is no job of this id."""


class JobFinished(ServiceError):
    """The job has already ended and cannot be cancelled."""


class QueueFull(ServiceError):
    """The queue has as many waiting jobs as allowed."""

    retry_after = 5


class TrainingRejected(ServiceError):
    """No model can be trained on these data with these parameters."""


class TrainingCancelled(ServiceError):
    """The job was cancelled while the caller waited for it."""


class TrainingTimedOut(ServiceError):
    """The training exceeded its time limit."""


class TrainingOutOfMemory(ServiceError):
    """The training exceeded its memory limit."""


class TrainingInterrupted(ServiceError):
    """The server or worker stopped while it ran the training."""

    retry_after = 1


class TrainingCrashed(ServiceError):
    """The training process was killed, or failed because of an error in the service."""


class ShuttingDown(ServiceError):
    """The server is shutting down and accepts no new work."""

    retry_after = 5
