"""Fixtures of the service tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.container import Container
from app.settings import Settings
from app.store.store import Store
from tests.app.server import Server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests that neither stop nor fill it."""
    with Server(tmp_path_factory.mktemp("server") / "home", queue_size=16) as running:
        yield running


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    """A client of that server."""
    with server.client() as client:
        yield client


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings with a folder of their own, whatever the environment says."""
    return Settings(home=tmp_path / "home")


@pytest.fixture
def container(settings: Settings) -> Iterator[Container]:
    """The object graph, without running jobs."""
    container = Container(settings)
    yield container
    container.close()


@pytest.fixture
def store(tmp_path: Path, database_url: str) -> Iterator[Store]:
    """An empty store, on each kind of database in turn."""
    with Store(tmp_path / "store", database_url) as store:
        yield store
