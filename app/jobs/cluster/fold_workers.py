"""Distribute the folds of a search over the workers of the cluster."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

import joblib
from distributed import Client

from app.jobs.cluster.names import FOLD, FOLD_MEMORY, MEMORY_PARTS

log = logging.getLogger("frtsvm.jobs")

#: Seconds to connect to the scheduler.
CONNECT_TIMEOUT = 5.0

#: Called with the number of folds that fit into the memory of one worker. Returns a context manager
#: inside which joblib sends the folds to the cluster.
DistributeFolds = Callable[[int], AbstractContextManager[None]]


def connect(stack: ExitStack, scheduler: str) -> DistributeFolds | None:
    """Connect to the scheduler until the stack is closed.

    Returns None if the scheduler does not respond; the folds are then computed in this process.
    """
    try:
        client = Client(scheduler, timeout=CONNECT_TIMEOUT, set_as_default=False)
    except OSError as error:
        log.warning("cannot connect to the cluster, folds run locally", extra={"why": str(error)})
        return None
    stack.enter_context(client)
    return lambda at_a_time: _dask_backend(client, at_a_time)


@contextmanager
def _dask_backend(client: Client, at_a_time: int) -> Iterator[None]:
    resources = {FOLD: 1, FOLD_MEMORY: MEMORY_PARTS // max(1, at_a_time)}
    with joblib.parallel_config("dask", client=client, resources=resources):
        yield
