"""Parts of a search on other machines, whatever happens to those.

The rows go to the workers directly, not through the scheduler, and once to each. A worker that dies
takes its parts with it, and perhaps the only copy of the rows: Dask gives the parts to others if it can;
else they are sent once more, with the rows, and are done here if that fails too.
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

from frtsvm_core.model_selection.fold_tasks import Part, Places, Scored, Task, score_part

log = logging.getLogger("frtsvm.search")

Result = tuple[float, list[Scored]]

#: Parts that are handed over for each thread of the cluster: one runs, one waits beside it.
AHEAD = 2


def workers_of(task: Task, n_jobs: int | None) -> "DaskWorkers | JoblibBackend | None":
    """What the caller has chosen by `joblib.parallel_config`; None: this machine."""
    backend, _ = get_active_backend()
    if type(backend).__module__ == "joblib._parallel_backends":
        return None
    client = getattr(backend, "client", None)
    if type(backend).__module__ == "joblib._dask" and client is not None:
        return DaskWorkers(client, backend.submit_kwargs, task)
    return JoblibBackend(task, n_jobs)


class JoblibBackend:
    """A backend of joblib that we know nothing of."""

    def __init__(self, task: Task, n_jobs: int | None) -> None:
        self._task, self._n_jobs = task, n_jobs

    def results(self, parts: Sequence[Part]) -> Iterator[Result]:
        """Results in the order of the parts."""
        parallel = Parallel(self._n_jobs, return_as="generator", batch_size=1)
        yield from parallel(delayed(score_part)(self._task, part) for part in parts)


class DaskWorkers:
    """The workers of a Dask cluster."""

    def __init__(self, client: Any, options: dict[str, Any], task: Task) -> None:
        self._client, self._options = client, options
        self._task = task
        self._sent: Any = None  # the future of the task
        self._addresses: list[str] = []
        # Here the search has the memory for all folds.
        self._here = replace(task, places=Places(len(task.folds)))

    def results(self, parts: Sequence[Part]) -> Iterator[Result]:
        """Results in the order of the parts."""
        left = iter(parts)
        waiting: deque[tuple[Part, Any]] = deque()
        width = AHEAD * self._look()
        try:
            while True:
                for part in islice(left, width - len(waiting)):
                    waiting.append((part, self._submitted(part)))
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

    def _look(self) -> int:
        """Learn who the workers are; returns how many threads they have."""
        threads: dict[str, int] = {}
        if self._reachable:
            with suppress(OSError):
                threads = self._client.ncores()
        self._addresses = sorted(threads)
        return max(1, sum(threads.values()))

    def _wish(self, part: Part) -> dict[str, Any]:
        """Parts of one fold go to one worker, which has it prepared, and all workers get some. Left
        alone, Dask would send short parts to the one that has the rows. It is a wish only."""
        if not self._addresses:
            return {}
        address = self._addresses[sum(part.place) % len(self._addresses)]
        return {"workers": [address], "allow_other_workers": True}

    def _submitted(self, part: Part) -> Any:
        """The future of a part; None if the cluster cannot be reached."""
        if not self._reachable:
            return None
        try:
            if self._sent is None or self._sent.status != "finished":
                # One copy now; other workers get theirs from one that has it.
                self._sent = self._client.scatter(self._task, direct=True, hash=False)
            return self._client.submit(
                score_part, self._sent, part, pure=False, **self._wish(part), **self._options
            )
        except (Exception, CancelledError) as error:
            log.warning("a part cannot be handed over", extra={"why": repr(error)})
            return None

    def _result(self, part: Part, future: Any) -> Result:
        for again in (True, False):
            if future is None:
                break
            try:
                result: Result = future.result()
            except ValueError:  # the search itself: it would fail here as well
                raise
            except (Exception, CancelledError) as error:
                log.warning("a part was lost", extra={"again": again, "why": repr(error)})
                future = self._submitted(part) if again else None
            else:
                return result
        return score_part(self._here, part)
