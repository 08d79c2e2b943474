"""Requeue or fail jobs that were interrupted by a shutdown or by the loss of a worker."""

from __future__ import annotations

import logging
from typing import Any

from app.schemas.jobs import JobState
from app.store.jobs import JobRecord, JobStore

log = logging.getLogger("frtsvm.jobs")

#: On a cluster a job gets two attempts, because losing machines is normal there. It does not get
#: more: a job that crashes machines must not crash all of them.
CLUSTER_ATTEMPTS = 2


def failure(code: str, detail: str, errors: list[Any] | None = None) -> dict[str, Any]:
    """Return the error of a failed job as it is stored."""
    return {"code": code, "detail": detail, "errors": errors or []}


class Interruptions:
    """Requeues an interrupted job while it has attempts left; fails it otherwise."""

    def __init__(self, jobs: JobStore, attempts: int = 1) -> None:
        self._jobs = jobs
        self._attempts = attempts

    def interrupt(self, job: JobRecord) -> None:
        """End this attempt of a running job, unless it has ended already."""
        if job.cancel_requested:
            self._jobs.end(job.id, job.fence, JobState.CANCELLED, None)
        elif job.attempt < self._attempts:
            if self._jobs.requeue(job.id, job.fence):
                log.warning(
                    "interrupted job queued again", extra={"job": job.id, "attempt": job.attempt}
                )
        elif self._jobs.end(job.id, job.fence, JobState.FAILED, self._reason()):
            log.warning("interrupted job failed", extra={"job": job.id, "attempt": job.attempt})

    def _reason(self) -> dict[str, Any]:
        if self._attempts == 1:
            return failure(
                "interrupted",
                "The server stopped while the training was running. Send the training again.",
            )
        return failure(
            "worker_lost",
            f"{self._attempts} workers in a row were lost while they ran the training. "
            "See their logs, for example for signs of the out-of-memory killer.",
        )
