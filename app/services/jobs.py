"""Jobs: look, wait, cancel."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from app import errors
from app.jobs.runner import JobRunner
from app.schemas.jobs import JobError, JobInfo, JobPage, JobProgress, JobResult, JobState
from app.store.jobs import JobRecord
from app.store.store import Store

#: Waiting looks often at first, for trainings of milliseconds, and ever less often.
FIRST_WAIT, LONGEST_WAIT = 0.01, 0.2
EVENT_INTERVAL = 0.25

#: Why a job failed -> the error for whoever waits for it.
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
    """A job as the caller sees it."""
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
    """The error that a job ended with."""
    if record.state is JobState.CANCELLED:
        return errors.TrainingCancelled(f"job {record.id} was cancelled")
    if record.error is None:
        return None
    kind = FAILURES.get(record.error["code"], errors.TrainingCrashed)
    flaws = [errors.Flaw(**flaw) for flaw in record.error["errors"]]
    return kind(record.error["detail"], flaws=flaws, numbers={"job": record.id})


class JobService:
    """Questions about jobs, from any process of the server."""

    def __init__(self, store: Store, runner: JobRunner) -> None:
        self._jobs = store.jobs
        self._runner = runner

    def get(self, job: str) -> JobInfo:
        """One job."""
        return job_info(self._jobs.get(job))

    def page(self, state: JobState | None, limit: int, offset: int) -> JobPage:
        """Some jobs, newest first."""
        records, total = self._jobs.page(state, limit, offset)
        items = [job_info(record) for record in records]
        return JobPage(items=items, total=total, limit=limit, offset=offset)

    def request_cancel(self, job: str, *, keep_best: bool = False) -> JobInfo:
        """Ask a job to end; a queued one has ended when this returns. With `keep_best` a search
        ends with the best it has found, if it has found anything."""
        ask = self._jobs.request_best if keep_best else self._jobs.request_cancel
        record = ask(job)
        self._runner.cancel(job)
        return job_info(record)

    async def cancel(self, job: str, patience: float, *, keep_best: bool = False) -> JobInfo:
        """Ask a job to end and wait a moment until it has."""
        info = await asyncio.to_thread(self.request_cancel, job, keep_best=keep_best)
        if not info.state.ended:
            return job_info(await self.wait_for(job, patience))
        return info

    async def wait_for(self, job: str, patience: float) -> JobRecord:
        """Until the job has ended, or for that many seconds."""
        try:
            async with asyncio.timeout(patience):
                return await self.wait(job)
        except TimeoutError:
            return await asyncio.to_thread(self._jobs.get, job)

    async def wait(self, job: str) -> JobRecord:
        """Until the job has ended."""
        pause = FIRST_WAIT
        while True:
            record = await asyncio.to_thread(self._jobs.get, job)
            if record.state.ended:
                return record
            await asyncio.sleep(pause)
            pause = min(LONGEST_WAIT, pause * 1.5)

    async def changes(self, job: str, closing: Callable[[], bool]) -> AsyncIterator[JobInfo | None]:
        """The job whenever it has changed, until it has ended; None now and then in between."""
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
