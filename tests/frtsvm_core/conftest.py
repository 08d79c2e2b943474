"""Fixtures for the tests of the numerical library."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def dask_client() -> Iterator[Any]:
    """A Dask client of a cluster of two processes, shared by all tests of this process."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client
        warnings.simplefilter("ignore", ResourceWarning)  # Dask leaves sockets open when it closes
