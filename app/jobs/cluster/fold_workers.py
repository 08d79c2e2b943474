"""Spreads the folds of a search over the workers of the cluster that runs it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

import joblib
from distributed import Client

from app.jobs.cluster.names import FOLD, FOLD_MEMORY, MEMORY_PARTS

log = logging.getLogger("frtsvm.jobs")

CONNECT_TIMEOUT = 5.0

#: Given how many folds of a search may be in the memory of one worker, sends them there while it lasts.
Spreading = Callable[[int], AbstractContextManager[None]]


def connected(stack: ExitStack, scheduler: str) -> Spreading | None:
    """A connection that lasts as long as the stack; None if the scheduler does not answer, so that the
    folds stay in this process."""
    try:
        client = Client(scheduler, timeout=CONNECT_TIMEOUT, set_as_default=False)
    except OSError as error:
        log.warning("folds stay here", extra={"why": str(error)})
        return None
    stack.enter_context(client)
    return lambda at_a_time: _over(client, at_a_time)


@contextmanager
def _over(client: Client, at_a_time: int) -> Iterator[None]:
    resources = {FOLD: 1, FOLD_MEMORY: MEMORY_PARTS // max(1, at_a_time)}
    with joblib.parallel_config("dask", client=client, resources=resources):
        yield
