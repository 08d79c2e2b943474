"""Names of resources and tasks, shared by the web processes and the workers of a cluster."""

from __future__ import annotations

#: Dask resources of a worker: the number of jobs, and of folds of searches, that it runs at a time.
#: They are separate, so a fold never waits for the slot of the job it belongs to.
JOB = "frtsvm-job"
FOLD = "frtsvm-fold"
#: Dask resource for the memory of all folds on a worker: as many bytes as one training may use,
#: divided into MEMORY_PARTS parts. Each fold takes its share of them.
FOLD_MEMORY = "frtsvm-fold-memory"
MEMORY_PARTS = 1000


def job_key(job: str, fence: int, submission: int) -> str:
    """Return the key of a task. All web processes use the same key, so the task runs only once."""
    return f"frtsvm-job-{job}-{fence}-{submission}"
