"""Fixtures for tests of the service."""

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
    """A server shared by all tests that neither stop it nor fill its queue."""
    with Server(tmp_path_factory.mktemp("server") / "home", queue_size=16) as running:
        yield running


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    """A client of the shared server."""
    with server.client() as client:
        yield client


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings with a temporary home folder, which overrides the environment."""
    return Settings(home=tmp_path / "home")


@pytest.fixture
def container(settings: Settings) -> Iterator[Container]:
    """The container of all services, without a running job engine."""
    container = Container(settings)
    yield container
    container.close()


@pytest.fixture
def store(tmp_path: Path, database_url: str) -> Iterator[Store]:
    """An empty store on each kind of database."""
    with Store(tmp_path / "store", database_url) as store:
        yield store
