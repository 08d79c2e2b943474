"""Run the parts of a search (`fold_tasks.Part`) on remote workers; recover from lost workers.

The rows are sent directly to the workers, not through the scheduler, and once to each worker. When
a worker is lost, its parts are lost too, and possibly the only remote copy of the rows. Dask
reschedules the parts on other workers if it can. Otherwise a part is submitted once more, with the
rows if they were lost, and is computed in this process if that fails as well.
"""

import logging
from asyncio import CancelledError
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

from frtsvm_core.model_selection.fold_tasks import (
    BlockScores,
    Part,
    PreparedFoldCache,
    Task,
    score_part,
)

log = logging.getLogger("frtsvm.search")

Result = tuple[float, list[BlockScores]]

#: Parts submitted ahead for each thread of the cluster: one runs while the next one waits.
PARTS_PER_THREAD = 2


def workers_of(task: Task, n_jobs: int | None) -> "DaskWorkers | JoblibBackend | None":
    """Return the workers that the caller has chosen with `joblib.parallel_config`.

    None means the threads or processes of this machine.
    """
    backend, _ = get_active_backend()
    if type(backend).__module__ == "joblib._parallel_backends":
        return None
    client = getattr(backend, "client", None)
    if type(backend).__module__ == "joblib._dask" and client is not None:
        return DaskWorkers(client, backend.submit_kwargs, task)
    return JoblibBackend(task, n_jobs)


class JoblibBackend:
    """Workers of a joblib backend other than Dask's and joblib's own."""

    def __init__(self, task: Task, n_jobs: int | None) -> None:
        self._task, self._n_jobs = task, n_jobs

    def results(self, parts: Sequence[Part]) -> Iterator[Result]:
        """Results in the order of the parts."""
        parallel = Parallel(self._n_jobs, return_as="generator", batch_size=1)
        yield from parallel(delayed(score_part)(self._task, part) for part in parts)


class DaskWorkers:
    """Workers of a Dask cluster."""

    def __init__(self, client: Any, options: dict[str, Any], task: Task) -> None:
        self._client, self._options = client, options
        self._task = task
        self._remote_task: Any = None  # future of the task on the cluster
        self._addresses: list[str] = []
        # For the parts that this process computes, its cache holds all folds: memory limits are
        # planned for a search that prepares all folds at once.
        self._local_task = replace(task, prepared_folds=PreparedFoldCache(len(task.folds)))

    def results(self, parts: Sequence[Part]) -> Iterator[Result]:
        """Results in the order of the parts."""
        left = iter(parts)
        waiting: deque[tuple[Part, Any]] = deque()
        width = PARTS_PER_THREAD * self._refresh_workers()
        try:
            while True:
                for part in islice(left, width - len(waiting)):
                    waiting.append((part, self._submit(part)))
                if not waiting:
                    return
                yield self._result(*waiting.popleft())
        finally:
            futures = [future for _, future in waiting if future is not None]
            if futures and self._reachable:
                self._client.cancel(futures)

    @property
    def _reachable(self) -> bool:
        return bool(self._client.status == "running")

    def _refresh_workers(self) -> int:
        """Update the addresses of the workers; return their total number of threads."""
        threads: dict[str, int] = {}
        if self._reachable:
            with suppress(OSError):
                threads = self._client.ncores()
        self._addresses = sorted(threads)
        return max(1, sum(threads.values()))

    def _placement(self, part: Part) -> dict[str, Any]:
        """Return the preferred worker of a part, as options of `Client.submit`.

        All parts of one fold prefer the same worker, which then has the fold prepared, and the
        folds are spread over all workers. Without this preference Dask would send short parts to
        the only worker that has the rows. Other workers may take the part as well.
        """
        if not self._addresses:
            return {}
        address = self._addresses[sum(part.key) % len(self._addresses)]
        return {"workers": [address], "allow_other_workers": True}

    def _submit(self, part: Part) -> Any:
        """Submit a part and return its future; return None if the cluster cannot be reached."""
        if not self._reachable:
            return None
        try:
            if self._remote_task is None or self._remote_task.status != "finished":
                # Send one copy; the other workers fetch it from a worker that has it.
                self._remote_task = self._client.scatter(self._task, direct=True, hash=False)
            return self._client.submit(
                score_part,
                self._remote_task,
                part,
                pure=False,
                **self._placement(part),
                **self._options,
            )
        except (Exception, CancelledError) as error:
            log.warning(
                "part of a search could not be submitted, running it in this process",
                extra={"why": repr(error)},
            )
            return None

    def _result(self, part: Part, future: Any) -> Result:
        for again in (True, False):
            if future is None:
                break
            try:
                result: Result = future.result()
            except ValueError:  # raised by the search itself, so it would fail in this process too
                raise
            except (Exception, CancelledError) as error:
                log.warning(
                    "part of a search was lost, running it again",
                    extra={"again": again, "why": repr(error)},
                )
                future = self._submit(part) if again else None
            else:
                return result
        return score_part(self._local_task, part)
