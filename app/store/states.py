"""The legal moves of a job. Cancelling is a flag beside the state, not a state."""

from __future__ import annotations

from app.schemas.jobs import JobState

MOVES: dict[JobState, frozenset[JobState]] = {
    JobState.QUEUED: frozenset({JobState.RUNNING, JobState.CANCELLED}),
    # Back to the queue: the machine that ran it was lost.
    JobState.RUNNING: frozenset(
        {JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED, JobState.QUEUED}
    ),
    JobState.SUCCEEDED: frozenset(),
    JobState.FAILED: frozenset(),
    JobState.CANCELLED: frozenset(),
}


def require_legal(before: JobState, after: JobState) -> None:
    """Refuse a move that the table does not have."""
    if after not in MOVES[before]:
        raise ValueError(f"a job cannot go from {before.value} to {after.value}")
