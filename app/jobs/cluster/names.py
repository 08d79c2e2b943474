"""What the web processes and the workers of a cluster call things."""

from __future__ import annotations

#: Resources of a worker: jobs it runs at a time, and folds of searches beside them. A fold never waits
#: for a slot that is held by the job it belongs to.
JOB = "frtsvm-job"
FOLD = "frtsvm-fold"
#: The memory that the folds of a worker have together: as many bytes as one training may use, in parts
#: of which a fold takes its share.
FOLD_MEMORY = "frtsvm-fold-memory"
MEMORY_PARTS = 1000


def job_key(job: str, fence: int, handover: int) -> str:
    """The name of a task. All web processes give the same, so that the scheduler knows it is one."""
    return f"frtsvm-job-{job}-{fence}-{handover}"
