"""Allowed state transitions of a job. A cancel request is a separate flag, not a state."""

from __future__ import annotations

from app.schemas.jobs import JobState

TRANSITIONS: dict[JobState, frozenset[JobState]] = {
    JobState.QUEUED: frozenset({JobState.RUNNING, JobState.CANCELLED}),
    # Back to QUEUED: the worker that ran the job was lost.
    JobState.RUNNING: frozenset(
        {JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED, JobState.QUEUED}
    ),
    JobState.SUCCEEDED: frozenset(),
    JobState.FAILED: frozenset(),
    JobState.CANCELLED: frozenset(),
}


def require_allowed(before: JobState, after: JobState) -> None:
    """Raise `ValueError` unless `TRANSITIONS` allows the transition."""
    if after not in TRANSITIONS[before]:
        raise ValueError(f"A job cannot go from {before.value} to {after.value}.")
