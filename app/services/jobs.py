"""Jobs: get, list, wait, cancel."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from app import errors
from app.jobs.runner import JobRunner
from app.schemas.jobs import JobError, JobInfo, JobPage, JobProgress, JobResult, JobState
from app.store.jobs import JobRecord
from app.store.store import Store

#: First and longest pause between two queries of a waiting caller, in seconds. The pause grows: the
#: end of a short training is noticed soon, and a long one costs few queries.
FIRST_WAIT, LONGEST_WAIT = 0.01, 0.2
#: Seconds between two queries of an event stream.
EVENT_INTERVAL = 0.25

#: Error code of a failed job -> the error for a caller that waits for the job.
FAILURES: dict[str, type[errors.ServiceError]] = {
    "rejected": errors.TrainingRejected,
    "out_of_memory": errors.TrainingOutOfMemory,
    "timed_out": errors.TrainingTimedOut,
    "interrupted": errors.TrainingInterrupted,
    "worker_lost": errors.TrainingInterrupted,
    "killed": errors.TrainingCrashed,
    "crashed": errors.TrainingCrashed,
    "storage": errors.StoreUnavailable,
    "store_full": errors.StoreFull,
}


def job_info(record: JobRecord) -> JobInfo:
    """Return a job in the form that callers see."""
    result = None
    if record.version is not None:
        location = f"/models/{record.model}/versions/{record.version}"
        result = JobResult(model=record.model, version=record.version, location=location)
    return JobInfo(
        id=record.id,
        state=record.state,
        model=record.model,
        cancel_requested=record.cancel_requested,
        keep_best=record.keep_best,
        created_at=record.created_at,
        started_at=record.started_at,
        finished_at=record.finished_at,
        progress=JobProgress.model_validate(record.progress),
        result=result,
        error=None if record.error is None else JobError(**record.error),
        estimated_bytes=record.estimated_bytes,
    )


def failure_of(record: JobRecord) -> errors.ServiceError | None:
    """Return the error that a job ended with, or None."""
    if record.state is JobState.CANCELLED:
        return errors.TrainingCancelled(f"Job {record.id} was cancelled.")
    if record.error is None:
        return None
    kind = FAILURES.get(record.error["code"], errors.TrainingCrashed)
    flaws = [errors.Flaw(**flaw) for flaw in record.error["errors"]]
    return kind(record.error["detail"], flaws=flaws, numbers={"job": record.id})


class JobService:
    """Queries and cancellation of jobs, from any process of the server."""

    def __init__(self, store: Store, runner: JobRunner) -> None:
        self._jobs = store.jobs
        self._runner = runner

    def get(self, job: str) -> JobInfo:
        """Return one job."""
        return job_info(self._jobs.get(job))

    def page(self, state: JobState | None, limit: int, offset: int) -> JobPage:
        """Return a page of jobs, newest first."""
        records, total = self._jobs.page(state, limit, offset)
        items = [job_info(record) for record in records]
        return JobPage(items=items, total=total, limit=limit, offset=offset)

    def request_cancel(self, job: str, *, keep_best: bool = False) -> JobInfo:
        """Request that a job ends; a queued job has ended when this returns.

        With `keep_best`, a search ends with the best parameters so far, if it has found any.
        """
        request = self._jobs.request_best if keep_best else self._jobs.request_cancel
        record = request(job)
        self._runner.cancel(job)
        return job_info(record)

    async def cancel(self, job: str, patience: float, *, keep_best: bool = False) -> JobInfo:
        """Request that a job ends, and wait for it for at most `patience` seconds."""
        info = await asyncio.to_thread(self.request_cancel, job, keep_best=keep_best)
        if not info.state.ended:
            return job_info(await self.wait_for(job, patience))
        return info

    async def wait_for(self, job: str, patience: float) -> JobRecord:
        """Wait until the job has ended, for at most `patience` seconds."""
        try:
            async with asyncio.timeout(patience):
                return await self.wait(job)
        except TimeoutError:
            return await asyncio.to_thread(self._jobs.get, job)

    async def wait(self, job: str) -> JobRecord:
        """Wait until the job has ended."""
        pause = FIRST_WAIT
        while True:
            record = await asyncio.to_thread(self._jobs.get, job)
            if record.state.ended:
                return record
            await asyncio.sleep(pause)
            pause = min(LONGEST_WAIT, pause * 1.5)

    async def changes(self, job: str, closing: Callable[[], bool]) -> AsyncIterator[JobInfo | None]:
        """Yield the job, and again after each change, until it has ended or `closing()` is true.

        Yield None whenever 10 seconds have passed without a change.
        """
        before: JobInfo | None = None
        quiet = 0
        while not closing():
            info = job_info(await asyncio.to_thread(self._jobs.get, job))
            if info != before:
                before, quiet = info, 0
                yield info
            elif quiet * EVENT_INTERVAL >= 10:
                quiet = 0
                yield None
            if info.state.ended:
                return
            quiet += 1
            await asyncio.sleep(EVENT_INTERVAL)
