"""Jobs: list, look, follow, cancel."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Annotated, Literal

import orjson
from fastapi import APIRouter, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from app import errors
from app.api.deps import JobId, Jobs, Limit, Offset, Training, container_of
from app.api.problems import documented
from app.api.responses import JsonResponse
from app.schemas.jobs import JobInfo, JobPage, JobState
from app.services.jobs import JobService

router = APIRouter(prefix="/jobs", tags=["jobs"])

#: Seconds that a cancelling call waits for the process to be gone.
PATIENCE = 2.0

_EVENT = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("id", "event", "data")},
}
_COMMON = (
    errors.NotAuthenticated,
    errors.NotPermitted,
    errors.InvalidRequest,
    errors.StoreUnavailable,
)


@router.get("", response_model=JobPage, responses=documented(*_COMMON))
def list_jobs(
    jobs: Jobs,
    caller: Training,
    state: Annotated[JobState | None, Query()] = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """All jobs that are remembered, newest first."""
    return JsonResponse(jobs.page(state, limit, offset))


@router.get("/{job}", response_model=JobInfo, responses=documented(*_COMMON, errors.JobNotFound))
def get_job(job: JobId, jobs: Jobs, caller: Training) -> Response:
    """One job: state, progress, result or reason of failure."""
    return JsonResponse(jobs.get(job))


@router.delete(
    "/{job}",
    response_model=JobInfo,
    responses={
        202: {"model": JobInfo, "description": "Asked to end, but its process is not gone yet."},
        **documented(*_COMMON, errors.JobNotFound, errors.JobFinished, errors.StoreFull),
    },
)
async def cancel_job(
    job: JobId,
    jobs: Jobs,
    caller: Training,
    keep: Annotated[
        Literal["best"] | None,
        Query(description="A search ends with the best found so far, if there is any yet."),
    ] = None,
) -> Response:
    """Cancel a queued or running job. Nothing is left of it but its row.

    With `keep=best` a running search ends early: the best parameters so far are fitted on all rows
    and published, marked as stopped early. Where nothing was tried yet, the job is cancelled.
    """
    info = await jobs.cancel(job, PATIENCE, keep_best=keep == "best")
    return JsonResponse(info, 200 if info.state.ended else 202)


@router.get(
    "/{job}/events",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Server-sent events: `progress` whenever the job changes, then `end`. "
            "The data of each is a job as in GET /jobs/{job}.",
            "content": {"text/event-stream": {"schema": _EVENT}},
        },
        **documented(*_COMMON, errors.JobNotFound),
    },
)
async def follow_job(request: Request, job: JobId, jobs: Jobs, caller: Training) -> Response:
    """The progress of a job as server-sent events, until it has ended."""
    await run_in_threadpool(jobs.get, job)  # 404 before the stream begins
    closing = container_of(request).draining.is_set
    return StreamingResponse(
        _events(jobs, job, closing),
        media_type="text/event-stream",
        headers={"cache-control": "no-store", "x-accel-buffering": "no"},
    )


async def _events(jobs: JobService, job: str, closing: Callable[[], bool]) -> AsyncIterator[bytes]:
    number = 0
    async for info in jobs.changes(job, closing):
        if info is None:
            yield b": still there\n\n"
            continue
        number += 1
        name = "end" if info.state.ended else "progress"
        data = orjson.dumps(info.model_dump()).decode()
        yield f"id: {number}\nevent: {name}\ndata: {data}\n\n".encode()
