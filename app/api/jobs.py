"""Routes of training jobs: list, get, follow, cancel."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Annotated, Literal

import orjson
from fastapi import APIRouter, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from app import errors
from app.api.deps import JobId, Jobs, Limit, Offset, TrainCaller, container_of
from app.api.problems import documented
from app.api.responses import JsonResponse
from app.schemas.jobs import JobInfo, JobPage, JobState
from app.services.jobs import JobService

router = APIRouter(prefix="/jobs", tags=["jobs"])

#: Seconds that DELETE waits for the training process to end.
CANCEL_WAIT = 2.0

_EVENT = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "description": "Number of the event, counted from 1."},
        "event": {
            "type": "string",
            "description": "`progress` while the job is queued or running, `end` afterwards.",
        },
        "data": {"type": "string", "description": "The job as JSON, as in GET /jobs/{job}."},
    },
}
_COMMON = (
    errors.NotAuthenticated,
    errors.NotPermitted,
    errors.InvalidRequest,
    errors.StoreUnavailable,
)


@router.get(
    "",
    response_model=JobPage,
    summary="List jobs",
    response_description="A page of jobs.",
    responses=documented(*_COMMON),
)
def list_jobs(
    jobs: Jobs,
    caller: TrainCaller,
    state: Annotated[
        JobState | None,
        Query(description="Return only the jobs in this state. Default: jobs in any state."),
    ] = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """Return the stored jobs, newest first, one page at a time."""
    return JsonResponse(jobs.page(state, limit, offset))


@router.get(
    "/{job}",
    response_model=JobInfo,
    summary="Get a job",
    response_description="The job.",
    responses=documented(*_COMMON, errors.JobNotFound),
)
def get_job(job: JobId, jobs: Jobs, caller: TrainCaller) -> Response:
    """Return one job: its state and progress, and its result or the reason why it failed."""
    return JsonResponse(jobs.get(job))


@router.delete(
    "/{job}",
    response_model=JobInfo,
    summary="Cancel a job",
    response_description="The job after it has ended.",
    responses={
        202: {
            "model": JobInfo,
            "description": "The cancellation was requested, but the training process is still "
            "running.",
        },
        **documented(*_COMMON, errors.JobNotFound, errors.JobFinished, errors.StoreFull),
    },
)
async def cancel_job(
    job: JobId,
    jobs: Jobs,
    caller: TrainCaller,
    keep: Annotated[
        Literal["best"] | None,
        Query(
            description="`best`: end a parameter search early and keep its best result. "
            "Default: the job is cancelled without a result."
        ),
    ] = None,
) -> Response:
    """Cancel a queued or running job.

    Its training data are deleted and no version is stored. The job remains in the list of jobs.

    With `keep=best`, a running parameter search ends early: the best parameters so far are fitted
    on all rows, and the new version is marked as stopped early. If the search has not tried any
    configuration yet, the job is cancelled.
    """
    info = await jobs.cancel(job, CANCEL_WAIT, keep_best=keep == "best")
    return JsonResponse(info, 200 if info.state.ended else 202)


@router.get(
    "/{job}/events",
    response_class=StreamingResponse,
    summary="Follow a job",
    responses={
        200: {
            "description": "Server-sent events: `progress` whenever the job changes, then `end`. "
            "The data of each event is the job as in GET /jobs/{job}.",
            "content": {"text/event-stream": {"schema": _EVENT}},
        },
        **documented(*_COMMON, errors.JobNotFound),
    },
)
async def follow_job(request: Request, job: JobId, jobs: Jobs, caller: TrainCaller) -> Response:
    """Send the progress of a job as server-sent events until the job has ended."""
    await run_in_threadpool(jobs.get, job)  # respond with 404 before the stream begins
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
