"""Jobs as the caller sees them."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from app.schemas.base import ResponseModel


class JobState(StrEnum):
    """Few and closed; the legal moves are in `app.store.states`."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        """Whether nothing will change any more."""
        return self in (JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED)


class SearchState(ResponseModel):
    """How far a parameter search is."""

    phase: Literal["search", "calibration", "refit"]
    tried: int
    """Configurations tried on every fold; `n_configurations` of the search in the end. Searches that
    only validate the model are not counted."""
    planned: int
    """Configurations planned so far; the plan `auto` adds to them as it goes."""
    best_score: float | None
    best_params: dict[str, Any] | None
    seconds: float
    seconds_left: float
    """Of the time budget."""


class JobProgress(ResponseModel):
    """How far a training is."""

    phase: str
    percent: float
    plane: int | None = None
    n_planes: int | None = None
    sweep: int | None = None
    gap: float | None = None
    """Relative duality gap of the plane when it was last taken: at most this share of its objective
    can be gained. It is taken after each of the first sweeps, and then more seldom."""
    violation: float | None = None
    """Largest violation of the optimality conditions in the latest sweep; `tol` ends it."""
    search: SearchState | None = None


class JobError(ResponseModel):
    """Why a job failed."""

    code: str
    detail: str
    errors: list[dict[str, Any]] = Field(default_factory=list)


class JobResult(ResponseModel):
    """What a job made."""

    model: str
    version: int
    location: str


class JobInfo(ResponseModel):
    """One job."""

    id: str
    state: JobState
    model: str
    cancel_requested: bool
    keep_best: bool
    """Asked to end with the best parameters found so far."""
    created_at: str
    started_at: str | None
    finished_at: str | None
    progress: JobProgress
    result: JobResult | None
    error: JobError | None
    estimated_bytes: int
    """Memory that the training was estimated to need."""


class JobPage(ResponseModel):
    """Some jobs, newest first."""

    items: list[JobInfo]
    total: int
    limit: int
    offset: int
