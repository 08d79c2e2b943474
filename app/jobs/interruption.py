"""What becomes of a job whose process was ended by something that is not its fault."""

from __future__ import annotations

import logging
from typing import Any

from app.schemas.jobs import JobState
from app.store.jobs import JobRecord, JobStore

log = logging.getLogger("frtsvm.jobs")

#: A cluster loses machines as a matter of course, and one that one job has brought down must not take
#: the others with it.
CLUSTER_ATTEMPTS = 2


def failure(code: str, detail: str, errors: list[Any] | None = None) -> dict[str, Any]:
    """The stored reason of a failed job."""
    return {"code": code, "detail": detail, "errors": errors or []}


class Interruptions:
    """Queues an interrupted job again as long as it has attempts left, and fails it then."""

    def __init__(self, jobs: JobStore, attempts: int = 1) -> None:
        self._jobs = jobs
        self._attempts = attempts

    def interrupt(self, job: JobRecord) -> None:
        """End this attempt of a running job, unless someone else has ended it already."""
        if job.cancel_requested:
            self._jobs.end(job.id, job.fence, JobState.CANCELLED, None)
        elif job.attempt < self._attempts:
            if self._jobs.requeue(job.id, job.fence):
                log.warning("job queued again", extra={"job": job.id, "attempt": job.attempt})
        elif self._jobs.end(job.id, job.fence, JobState.FAILED, self._reason()):
            log.warning("job interrupted", extra={"job": job.id, "attempt": job.attempt})

    def _reason(self) -> dict[str, Any]:
        if self._attempts == 1:
            return failure("interrupted", "the server stopped while the training ran")
        return failure(
            "worker_lost",
            f"{self._attempts} workers, one after the other, were lost while they ran the training",
        )
