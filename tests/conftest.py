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

# Compilation and a busy machine can make single examples slow. The timeout per test still applies.
settings.register_profile(
    "project", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("project")

#: Folders with the longest tests run first, so that no core is idle at the end of a run.
LONGEST_FIRST = ("reliability", "acceptance", "browser", "deploy", "benchmarks", "app")
ROOT = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the tests by folder, and let tests that assert durations run again if they fail."""

    def rank(item: pytest.Item) -> int:
        part = item.path.relative_to(ROOT).parts[0]
        return LONGEST_FIRST.index(part) if part in LONGEST_FIRST else len(LONGEST_FIRST)

    items.sort(key=rank)
    for item in items:
        if item.get_closest_marker("timed"):  # a bug fails every time, a busy machine does not
            item.add_marker(pytest.mark.flaky(reruns=2, reruns_delay=2))


class ModuleScheduling(LoadScopeScheduling):
    """Run all tests of a module in one process, so that they share servers; schedule each
    reliability test separately."""

    def _split_scope(self, nodeid: str) -> str:
        return nodeid if "/reliability/" in nodeid else nodeid.split("::", 1)[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ModuleScheduling:
    """Use this scheduler, and keep the order above, regardless of `--dist`."""
    config.option.loadscopereorder = False
    return ModuleScheduling(config, log)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of the paper's data sets, from FRTSVM_DATA_DIR."""
    folder = os.environ.get("FRTSVM_DATA_DIR", "")
    if not folder or not Path(folder).is_dir():
        pytest.skip("The paper's data sets are missing. Set FRTSVM_DATA_DIR to their folder.")
    return Path(folder)


@pytest.fixture(scope="session")
def golden_dir(data_dir: Path) -> Path:
    """Folder of exact solutions, next to the data sets."""
    folder = data_dir.parent / "golden"
    if not folder.is_dir():
        pytest.skip("The folder `golden` with exact solutions is missing next to FRTSVM_DATA_DIR.")
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
    """PostgreSQL server, shared by all tests of this process that do not stop it."""
    from tests.app.postgres import Postgres

    with Postgres() as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL of an empty database; the test runs once per kind of database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/metadata.sqlite3"
    postgres: Postgres = request.getfixturevalue("postgres")
    return postgres.new_database()


@pytest.fixture(scope="session")
def object_storage() -> Iterator[ObjectStorage]:
    """Object storage, shared by all tests of this process that do not stop it."""
    from tests.app.objectstore import ObjectStorage

    with ObjectStorage() as running:
        yield running


@pytest.fixture
def bucket(object_storage: ObjectStorage, monkeypatch: pytest.MonkeyPatch) -> str:
    """URL of an empty bucket, with the environment variables that give access to it."""
    for name, value in object_storage.environment.items():
        monkeypatch.setenv(name, value)
    return object_storage.new_bucket()
