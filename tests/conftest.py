"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from numpy.typing import NDArray
from xdist.scheduler import LoadScopeScheduling

if TYPE_CHECKING:
    from tests.app.objectstore import ObjectStorage
    from tests.app.postgres import Postgres

# Compilation and a busy machine make single examples slow; the suite's own time-out is the limit.
settings.register_profile(
    "project", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("project")

#: What takes longest begins first, so that no core waits at the end for a test that began last.
LONGEST_FIRST = ("reliability", "acceptance", "browser", "deploy", "benchmarks", "app")
ROOT = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the tests; within a part of them the order stays."""

    def rank(item: pytest.Item) -> int:
        part = item.path.relative_to(ROOT).parts[0]
        return LONGEST_FIRST.index(part) if part in LONGEST_FIRST else len(LONGEST_FIRST)

    items.sort(key=rank)
    for item in items:
        if item.get_closest_marker("timed"):  # a fault is there each time, a busy machine is not
            item.add_marker(pytest.mark.flaky(reruns=2, reruns_delay=2))


class ModulesTogether(LoadScopeScheduling):
    """A module stays in one process, with its servers; rows of the reliability programme are alone."""

    def _split_scope(self, nodeid: str) -> str:
        return nodeid if "/reliability/" in nodeid else nodeid.split("::", 1)[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ModulesTogether:
    """In the order above, whatever `--dist` says."""
    config.option.loadscopereorder = False
    return ModulesTogether(config, log)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of the paper's data sets, from FRTSVM_DATA_DIR."""
    folder = os.environ.get("FRTSVM_DATA_DIR", "")
    if not folder or not Path(folder).is_dir():
        pytest.skip("FRTSVM_DATA_DIR is not set: the paper's data sets are not there")
    return Path(folder)


@pytest.fixture(scope="session")
def golden_dir(data_dir: Path) -> Path:
    """Exact solutions, in the folder beside the data sets."""
    folder = data_dir.parent / "golden"
    if not folder.is_dir():
        pytest.skip("no folder of exact solutions beside FRTSVM_DATA_DIR")
    return folder


def read_table(path: Path) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rows and labels of a CSV file whose last column is the label."""
    table = np.genfromtxt(path, delimiter=",", skip_header=1)
    return table[:, :-1], table[:, -1]


@pytest.fixture(scope="session")
def ripley(data_dir: Path) -> tuple[NDArray[np.float64], ...]:
    """Ripley's synthetic data: training rows and labels, test rows and labels."""
    return (*read_table(data_dir / "ripley_train.csv"), *read_table(data_dir / "ripley_test.csv"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One PostgreSQL for all tests of this process that do not stop it."""
    from tests.app.postgres import Postgres

    with Postgres() as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database, of each kind in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/metadata.sqlite3"
    postgres: Postgres = request.getfixturevalue("postgres")
    return postgres.new_database()


@pytest.fixture(scope="session")
def object_storage() -> Iterator[ObjectStorage]:
    """One object storage for all tests of this process that do not stop it."""
    from tests.app.objectstore import ObjectStorage

    with ObjectStorage() as running:
        yield running


@pytest.fixture
def bucket(object_storage: ObjectStorage, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of an empty place in it, with the environment that reaches it."""
    for name, value in object_storage.environment.items():
        monkeypatch.setenv(name, value)
    return object_storage.new_bucket()
