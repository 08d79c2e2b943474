"""Schemas of training jobs."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from app.schemas.base import ResponseModel


class JobState(StrEnum):
    """State of a job. It begins as `queued` and ends as `succeeded`, `failed` or `cancelled`."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        """Whether the state is final."""
        return self in (JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED)


class SearchState(ResponseModel):
    """Progress of a parameter search."""

    phase: Literal["search", "calibration", "refit"] = Field(
        description="`search`: configurations are tried. `calibration`: the distance weights and "
        "the calibration of probabilities are fitted. `refit`: not used; the fit on all rows is "
        "the phase `training` of the job."
    )
    tried: int = Field(
        description="Configurations tried on every fold so far. Searches within the folds of a "
        "validation are not counted."
    )
    planned: int = Field(
        description="Configurations planned so far. The plan `auto` adds configurations as it goes."
    )
    best_score: float | None = Field(
        description="Best mean score so far; `null` before the first score."
    )
    best_params: dict[str, Any] | None = Field(
        description="Parameters with the best score so far; `null` before the first score."
    )
    seconds: float = Field(description="Elapsed time of the search in seconds.")
    seconds_left: float = Field(
        description="Estimated remaining time in seconds, at most the rest of the time budget."
    )


class JobProgress(ResponseModel):
    """Progress of a training job."""

    phase: str = Field(description="Current step, e.g. `validating` or `saving`.")
    percent: float = Field(description="Estimated progress in percent.")
    plane: int | None = Field(None, description="Number of the plane being fitted.")
    n_planes: int | None = Field(None, description="Number of planes of the model.")
    sweep: int | None = Field(
        None, description="Latest sweep of the solver over the rows of the plane."
    )
    gap: float | None = Field(
        None,
        description="Latest relative duality gap of the plane: an upper bound on the share by "
        "which its objective can still improve. Computed after each of the first sweeps, then less "
        "often.",
    )
    violation: float | None = Field(
        None,
        description="Distance of the latest sweep from the optimality conditions: largest minus "
        "smallest projected gradient. The sweeps end when it is at most `tol` over all rows.",
    )
    search: SearchState | None = Field(
        None, description="Progress of the parameter search; `null` without a search."
    )


class JobError(ResponseModel):
    """Reason why a job failed."""

    code: str = Field(
        description="Kind of failure. `rejected`: no model can be fitted with these data or "
        "parameters. `out_of_memory`, `timed_out`: the training exceeded its memory or time limit. "
        "`interrupted`: the server stopped during the training. `worker_lost`: two workers of the "
        "cluster were lost or stopped during it. `killed`: the training process was killed. "
        "`store_full`: no disk space was left for the result. `storage`: the result could not be "
        "written for another reason. `crashed`: a bug in the service."
    )
    detail: str = Field(description="Description of the error and what to do about it.")
    errors: list[dict[str, Any]] = Field(
        default_factory=list,
        description="Errors in the training data or options, with `field`, `row` and `column`.",
    )


class JobResult(ResponseModel):
    """Result of a job that succeeded."""

    model: str = Field(description="Name of the model.")
    version: int = Field(description="Number of the new version.")
    location: str = Field(description="URL path of the new version.")


class JobInfo(ResponseModel):
    """A training job."""

    id: str = Field(description="Job id: 32 hexadecimal digits.")
    state: JobState = Field(description="State of the job; the last three states are final.")
    model: str = Field(description="Name of the model.")
    cancel_requested: bool = Field(description="Whether a client asked to cancel the job.")
    keep_best: bool = Field(
        description="Whether a client asked to end the search with the best parameters so far."
    )
    created_at: str = Field(description="Time of the request (ISO 8601, UTC).")
    started_at: str | None = Field(
        description="Time when the training started (ISO 8601, UTC); `null` while it is queued."
    )
    finished_at: str | None = Field(
        description="Time when the job ended (ISO 8601, UTC); `null` before."
    )
    progress: JobProgress = Field(description="Progress of the training.")
    result: JobResult | None = Field(description="The new version, if the job succeeded.")
    error: JobError | None = Field(description="The error, if the job failed.")
    estimated_bytes: int = Field(description="Estimated memory of the training in bytes.")


class JobPage(ResponseModel):
    """A page of jobs, newest first."""

    items: list[JobInfo] = Field(description="The jobs of this page.")
    total: int = Field(description="Number of jobs on all pages.")
    limit: int = Field(description="Largest number of items on a page, as requested.")
    offset: int = Field(description="Number of items before this page, as requested.")
