"""One server with the models of the protocol tests."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.app.api.v2.models import train_all
from tests.app.server import Server


@pytest.fixture(scope="package")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A separate server, because other tests also load, unload and count."""
    with Server(tmp_path_factory.mktemp("v2") / "home") as running:
        with running.client() as client:
            train_all(client)
        yield running


@pytest.fixture
def http(serving: Server) -> Iterator[httpx.Client]:
    """A plain client of that server."""
    with serving.client() as client:
        yield client
