"""Spreads the folds of a search over the workers of the cluster that runs it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import joblib
from distributed import Client

from app.jobs.cluster.names import FOLD

log = logging.getLogger("frtsvm.jobs")

CONNECT_TIMEOUT = 5.0


@contextmanager
def over_the_cluster(scheduler: str) -> Iterator[None]:
    """While it lasts, searches send their folds to the slots that workers keep for them. If the
    scheduler does not answer they stay in this process."""
    try:
        client = Client(scheduler, timeout=CONNECT_TIMEOUT, set_as_default=False)
    except OSError as error:
        log.warning("folds stay here", extra={"why": str(error)})
        yield
        return
    with client, joblib.parallel_config("dask", client=client, resources={FOLD: 1}):
        yield
