"""Job queue and job history. The database row is the authoritative state of a job.

A claim, a requeue and an end without a version increment the fencing token of a job (column
`fence`). Every write of the process that claimed the job requires that the job is still running and
that its token is the one of this claim. So a process that was declared dead, or whose job has
ended, cannot change the job any more.
"""

from __future__ import annotations

import json
import logging
import secrets
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, delete, func, insert, select, update

from app.errors import JobFinished, JobNotFound, QueueFull, ServiceError
from app.schemas.jobs import JobState
from app.store.database import Database, now
from app.store.files import Files, Seal, Staged
from app.store.generation import SharedGeneration
from app.store.registry import EVIDENCE, PREDICTOR, insert_version
from app.store.schema import jobs
from app.store.states import require_allowed
from app.store.storage import SPOOL, artifact_name, spool_name
from app.store.uploads import Uploads

log = logging.getLogger("frtsvm.store")

INITIAL_PROGRESS = {"phase": "queued", "percent": 0.0}


@dataclass(frozen=True)
class JobRecord:
    """One row of `jobs`."""

    id: str
    state: JobState
    cancel_requested: bool
    keep_best: bool
    """Whether the search was asked to stop and keep the best model found so far."""
    model: str
    options: dict[str, Any]
    spool: Seal
    estimated_bytes: int
    request_id: str
    fence: int
    owner: str | None
    beat: int
    progress: dict[str, Any]
    error: dict[str, Any] | None
    version: int | None
    created_at: str
    started_at: str | None
    finished_at: str | None

    @property
    def attempt(self) -> int:
        """Number of times the job was claimed.

        Each claim increments `fence`, and so does each requeue between two claims.
        """
        return (self.fence + 1) // 2

    @classmethod
    def of(cls, row: Row[Any]) -> JobRecord:
        """Build a record from a row of `jobs`."""
        values = dict(row._mapping)
        values.pop("seq")
        spool = Seal(values.pop("spool_sha256"), values.pop("spool_bytes"), values.pop("spool_mac"))
        values["state"] = JobState(values["state"])
        values["options"] = json.loads(values["options"])
        values["progress"] = json.loads(values["progress"])
        values["error"] = json.loads(values["error"]) if values["error"] else None
        return cls(spool=spool, **values)


class JobStore:
    """Reads and changes jobs."""

    def __init__(
        self, database: Database, files: Files, uploads: Uploads, generation: SharedGeneration
    ) -> None:
        self._database = database
        self._files = files
        self._uploads = uploads
        self._generation = generation

    # --- queries
    def get(self, job: str) -> JobRecord:
        """Return one job; raise `JobNotFound` if it does not exist."""
        with self._database.read() as connection:
            return _get(connection, job)

    def page(self, state: JobState | None, limit: int, offset: int) -> tuple[list[JobRecord], int]:
        """Return a page of jobs, newest first, and the number of all jobs in this state."""
        condition = [jobs.c.state == state.value] if state else []
        with self._database.read() as connection:
            total = connection.execute(
                select(func.count()).select_from(jobs).where(*condition)
            ).scalar_one()
            rows = connection.execute(
                select(jobs)
                .where(*condition)
                .order_by(jobs.c.seq.desc())
                .limit(limit)
                .offset(offset)
            ).all()
        return [JobRecord.of(row) for row in rows], total

    def counts(self) -> dict[JobState, int]:
        """Return the number of jobs in each state."""
        with self._database.read() as connection:
            rows = connection.execute(
                select(jobs.c.state, func.count()).group_by(jobs.c.state)
            ).all()
        return {JobState(state): count for state, count in rows}

    def running(self) -> list[JobRecord]:
        """Return all jobs in state RUNNING, including those whose process has died."""
        with self._database.read() as connection:
            rows = connection.execute(
                select(jobs).where(jobs.c.state == JobState.RUNNING.value)
            ).all()
        return [JobRecord.of(row) for row in rows]

    def queued(self, limit: int) -> list[JobRecord]:
        """Return queued jobs, oldest first."""
        with self._database.read() as connection:
            rows = connection.execute(
                select(jobs)
                .where(jobs.c.state == JobState.QUEUED.value)
                .order_by(jobs.c.seq)
                .limit(limit)
            ).all()
        return [JobRecord.of(row) for row in rows]

    # --- state changes
    def enqueue(
        self,
        model: str,
        options: dict[str, Any],
        data: Staged,
        estimated_bytes: int,
        request_id: str,
        queue_size: int,
    ) -> JobRecord:
        """Add a job with its data; raise `QueueFull` if `queue_size` jobs are waiting already."""
        job = secrets.token_hex(16)
        seal = self._files.seal(data, SPOOL)
        may_exist = not self._files.storage.instant  # whether the object may exist already
        try:
            with (
                self._uploads.uploading({spool_name(job): data}) as uploaded,
                self._database.exclusive() as connection,
            ):
                require_room(connection, queue_size)
                may_exist = True
                uploaded.confirm(connection)
                connection.execute(
                    insert(jobs).values(
                        id=job,
                        state=JobState.QUEUED.value,
                        cancel_requested=False,
                        model=model,
                        options=json.dumps(options),
                        spool_sha256=seal.sha256,
                        spool_bytes=seal.size,
                        spool_mac=seal.mac,
                        estimated_bytes=estimated_bytes,
                        request_id=request_id,
                        fence=0,
                        beat=0,
                        progress=json.dumps(INITIAL_PROGRESS),
                        created_at=now(),
                    )
                )
                return _get(connection, job)
        except BaseException:
            if may_exist:
                self._drop_unrecorded(job)
            raise
        finally:
            self._files.discard(data)

    def _drop_unrecorded(self, job: str) -> None:
        """Remove the data of a job that was not recorded; otherwise garbage collection does it.

        On a full disk the data would keep it full. The row is looked up first, because it may have
        been committed just before the connection broke.
        """
        try:
            with self._database.exclusive() as connection:
                if connection.execute(select(jobs.c.id).where(jobs.c.id == job)).first() is None:
                    self._files.drop_spool(job)
        except ServiceError as error:
            log.warning(
                "cannot remove training data, retrying later",
                extra={"job": job, "why": error.detail},
            )

    def require_room(self, queue_size: int) -> None:
        """Raise `QueueFull` before any training data are written."""
        with self._database.read() as connection:
            require_room(connection, queue_size)

    def claim(self, owner: str) -> JobRecord | None:
        """Claim the oldest queued job; None if there is none."""
        oldest = (
            select(jobs.c.id)
            .where(jobs.c.state == JobState.QUEUED.value)
            .order_by(jobs.c.seq)
            .limit(1)
        )
        return self._claim(oldest, owner)

    def claim_one(self, job: str, fence: int, owner: str) -> JobRecord | None:
        """Claim this job if it is still queued with this fencing token; None otherwise."""
        this = select(jobs.c.id).where(
            jobs.c.id == job, jobs.c.fence == fence, jobs.c.state == JobState.QUEUED.value
        )
        return self._claim(this, owner)

    def _claim(self, wanted: Select[str], owner: str) -> JobRecord | None:
        with self._database.read() as connection:  # usually nothing is queued; do not lock for that
            if connection.execute(wanted).first() is None:
                return None
        with self._database.write() as connection:
            # SKIP LOCKED: a concurrent claim takes the next job instead of waiting.
            job = connection.execute(wanted.with_for_update(skip_locked=True)).scalar()
            if job is None:
                return None
            connection.execute(
                update(jobs)
                .where(jobs.c.id == job)
                .values(
                    state=JobState.RUNNING.value,
                    fence=jobs.c.fence + 1,
                    owner=owner,
                    started_at=now(),
                )
            )
            return _get(connection, job)

    def requeue(self, job: str, fence: int) -> bool:
        """Return a running job to its old place in the queue.

        False: the fencing token is outdated, or the cancellation of the job was requested.
        """
        require_allowed(JobState.RUNNING, JobState.QUEUED)
        with self._database.write() as connection:
            done = connection.execute(
                update(jobs)
                .where(*_current_attempt(job, fence), jobs.c.cancel_requested.is_(False))
                .values(
                    state=JobState.QUEUED.value,
                    fence=jobs.c.fence + 1,
                    owner=None,
                    started_at=None,
                    progress=json.dumps(INITIAL_PROGRESS),
                )
            )
        return done.rowcount == 1

    def heartbeat(self, job: str, fence: int, progress: dict[str, Any]) -> bool:
        """Record a heartbeat and the progress of a job. False: the fencing token is outdated."""
        with self._database.write() as connection:
            done = connection.execute(
                update(jobs)
                .where(*_current_attempt(job, fence))
                .values(beat=jobs.c.beat + 1, progress=json.dumps(progress))
            )
            return done.rowcount == 1

    def publish(
        self,
        job: str,
        fence: int,
        predictor: Staged,
        evidence: Staged,
        info: dict[str, Any],
        progress: dict[str, Any],
    ) -> int | None:
        """End a job and create its version in one transaction.

        Returns the version number; None if the fencing token is outdated or the job was cancelled.
        """
        objects = {artifact_name(staged.sha256): staged for staged in (predictor, evidence)}
        with (
            self._uploads.uploading(objects) as uploaded,
            self._database.exclusive() as connection,
        ):
            done = connection.execute(
                update(jobs)
                .where(*_current_attempt(job, fence), jobs.c.cancel_requested.is_(False))
                .values(
                    state=JobState.SUCCEEDED.value,
                    progress=json.dumps(progress),
                    finished_at=now(),
                )
            )
            if done.rowcount != 1:
                return None
            uploaded.confirm(connection)
            model = _get(connection, job).model
            version = insert_version(
                connection,
                model,
                job,
                self._files.seal(predictor, PREDICTOR),
                self._files.seal(evidence, EVIDENCE),
                info,
            )
            connection.execute(update(jobs).where(jobs.c.id == job).values(version=version))
            self._generation.record_change(connection)
        self._generation.advance()
        self._files.drop_spool(job)
        return version

    def end(self, job: str, fence: int, state: JobState, error: dict[str, Any] | None) -> bool:
        """End a running job without a version. False: the fencing token is outdated."""
        require_allowed(JobState.RUNNING, state)
        with self._database.write() as connection:
            done = connection.execute(
                update(jobs)
                .where(*_current_attempt(job, fence))
                .values(
                    state=state.value,
                    error=json.dumps(error) if error else None,
                    finished_at=now(),
                    fence=jobs.c.fence + 1,
                )
            )
        if done.rowcount == 1:
            self._files.drop_spool(job)
        return done.rowcount == 1

    def request_cancel(self, job: str) -> JobRecord:
        """Cancel a queued job immediately; request the cancellation of a running one."""
        with self._database.write() as connection:
            record = _get(connection, job, lock=True)
            if record.state is JobState.QUEUED:
                values: dict[str, Any] = {
                    "state": JobState.CANCELLED.value,
                    "cancel_requested": True,
                    "finished_at": now(),
                }
            elif record.state is JobState.RUNNING:
                values = {"cancel_requested": True}
            elif record.state is JobState.CANCELLED:
                return record
            else:
                raise JobFinished(
                    f"Job {job} has ended ({record.state.value}); it cannot be cancelled."
                )
            connection.execute(update(jobs).where(jobs.c.id == job).values(**values))
            record = _get(connection, job)
        if record.state.ended:
            self._files.drop_spool(job)
        return record

    def request_best(self, job: str) -> JobRecord:
        """Request a running search to stop and keep the best model found so far.

        A job without such a model, because it is queued or not a search, is cancelled.
        """
        with self._database.exclusive() as connection:
            record = _get(connection, job)
            searching = record.options.get("search") is not None
            if record.state is JobState.RUNNING and searching and not record.cancel_requested:
                connection.execute(update(jobs).where(jobs.c.id == job).values(keep_best=True))
                return _get(connection, job)
        return self.request_cancel(job)

    # --- housekeeping
    def prune(self, keep: int) -> int:
        """Delete ended jobs except the newest `keep`; return the number of deleted jobs."""
        ended = [state.value for state in JobState if state.ended]
        beyond = (
            select(jobs.c.seq)
            .where(jobs.c.state.in_(ended))
            .order_by(jobs.c.seq.desc())
            .limit(1)
            .offset(keep - 1)
        )
        with self._database.read() as connection:
            oldest_kept = connection.execute(beyond).scalar()
        if oldest_kept is None:
            return 0
        with self._database.write() as connection:
            return connection.execute(
                delete(jobs).where(jobs.c.state.in_(ended), jobs.c.seq < oldest_kept)
            ).rowcount

    def remove_unused_spools(self) -> int:
        """Remove training data without a queued or running job; return the number of objects."""
        unfinished = [state.value for state in JobState if not state.ended]
        wanted = select(jobs.c.id).where(jobs.c.state.in_(unfinished))
        stored = self._files.stored_spools()
        if not stored:
            return 0
        with self._database.read() as connection:  # usually all are needed; do not lock for that
            suspects = set(stored).difference(connection.execute(wanted).scalars())
        if not suspects:
            return 0
        with self._database.exclusive() as connection:
            suspects.difference_update(connection.execute(wanted).scalars())
            names = {spool_name(job) for job in suspects}
            unwanted = names - self._uploads.in_progress(connection, names)
            self._files.storage.delete(unwanted)
        return len(unwanted)


def require_room(connection: Connection, queue_size: int) -> None:
    """Raise `QueueFull` if `queue_size` jobs are waiting."""
    waiting = connection.execute(
        select(func.count()).select_from(jobs).where(jobs.c.state == JobState.QUEUED.value)
    ).scalar_one()
    if waiting >= queue_size:
        numbers = {"queue_size": queue_size, "queued": waiting}
        raise QueueFull(
            f"The queue is full: {waiting} trainings are waiting. "
            "Try again later, or raise FRTSVM_QUEUE_SIZE.",
            numbers=numbers,
        )


def _current_attempt(job: str, fence: int) -> tuple[Any, ...]:
    """Return the condition that the job is running and its fencing token is still `fence`."""
    return jobs.c.id == job, jobs.c.fence == fence, jobs.c.state == JobState.RUNNING.value


def _get(connection: Connection, job: str, *, lock: bool = False) -> JobRecord:
    query = select(jobs).where(jobs.c.id == job)
    row = connection.execute(query.with_for_update() if lock else query).one_or_none()
    if row is None:
        raise JobNotFound(
            "No job has this id. Only the newest FRTSVM_JOB_HISTORY ended jobs are kept."
        )
    return JobRecord.of(row)
