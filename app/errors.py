"""What can go wrong, in the words of the domain.

These classes know nothing of HTTP: `app.api.problems` holds the one table from class to status.
Every public class here must be in that table; a test asserts it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Flaw:
    """One thing wrong with what the caller sent, and where it is.

    `row` and `column` count from 0, as the caller's arrays do.
    """

    detail: str
    field: str | None = None
    row: int | None = None
    column: int | str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The parts that are known."""
        parts = {
            "field": self.field,
            "row": self.row,
            "column": self.column,
            "detail": self.detail,
        }
        return {key: value for key, value in parts.items() if value is not None}


class ServiceError(Exception):
    """Base of all errors that a caller may see."""

    #: Seconds after which trying again makes sense; None when it does not.
    retry_after: int | None = None

    def __init__(
        self, detail: str, *, flaws: Sequence[Flaw] = (), numbers: dict[str, Any] | None = None
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.flaws = tuple(flaws)
        self.numbers = dict(numbers or {})


# --- what the caller sent --------------------------------------------------------------------


class MalformedBody(ServiceError):
    """The body cannot be read at all: not JSON, not CSV, not Parquet, not UTF-8."""


class InvalidRequest(ServiceError):
    """The body was read, but a field breaks the contract."""


class UnsupportedMediaType(ServiceError):
    """The content type (or content encoding) is not one the call accepts."""


class NotAcceptable(ServiceError):
    """The answer cannot be given in any format that the caller accepts."""


class BodyTooLarge(ServiceError):
    """More bytes than the limit."""


class BodyTooSlow(ServiceError):
    """The body did not arrive within its time."""


class TooManyBytesInFlight(ServiceError):
    """The bodies being received at this moment already fill the memory set aside for them."""

    retry_after = 1


class HeadersTooLarge(ServiceError):
    """More header bytes or fields than the limit."""


class DataTooLarge(ServiceError):
    """More rows, features or cells than the limit."""


class MemoryBudgetExceeded(ServiceError):
    """The training would need more memory than it may have."""


class OneClassOnly(ServiceError):
    """All labels are the same."""


class TooFewRows(ServiceError):
    """Fewer rows, in all or of a class, than the training needs."""


class FeatureMismatch(ServiceError):
    """The rows do not have the features that the model was trained with."""


# --- who is asking ---------------------------------------------------------------------------


class NotAuthenticated(ServiceError):
    """No key, or one that is not known."""


class NotPermitted(ServiceError):
    """A known key without the scope that the call needs."""


# --- what is in the store --------------------------------------------------------------------


class ModelNotFound(ServiceError):
    """No version of a model of that name."""


class VersionNotFound(ServiceError):
    """The model has no such version."""


class AliasNotFound(ServiceError):
    """The model has no such alias."""


class SearchNotFound(ServiceError):
    """The version was trained without a search, or the search did not vary the parameter."""


class VersionInUse(ServiceError):
    """An alias points at the version."""


class NothingToRollBack(ServiceError):
    """The alias has no earlier target that still exists."""


class ArtifactDamaged(ServiceError):
    """The stored file is missing or is not what was written."""


class StoreUnavailable(ServiceError):
    """The database or the folder cannot be reached or written."""

    retry_after = 5


class StoreFull(ServiceError):
    """No space left for what would have to be written."""

    retry_after = 30


# --- jobs ------------------------------------------------------------------------------------


class JobNotFound(ServiceError):
    """No job of that id."""


class JobFinished(ServiceError):
    """The job has ended, it cannot be cancelled any more."""


class QueueFull(ServiceError):
    """As many jobs wait as may wait."""

    retry_after = 5


class TrainingRejected(ServiceError):
    """The data or the parameters cannot give a model."""


class TrainingCancelled(ServiceError):
    """The job was cancelled while its caller waited for it."""


class TrainingTimedOut(ServiceError):
    """The training did not end within its time."""


class TrainingOutOfMemory(ServiceError):
    """The training wanted more memory than it was allowed."""


class TrainingInterrupted(ServiceError):
    """The server stopped while the training ran."""

    retry_after = 1


class TrainingCrashed(ServiceError):
    """The training process died, or failed in a way that is our fault."""


class ShuttingDown(ServiceError):
    """The server is about to stop and takes nothing new."""

    retry_after = 5
