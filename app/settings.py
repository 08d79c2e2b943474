"""Everything that can be set from outside, by environment variables named `FRTSVM_...`.

Nothing reads the environment at import: `Settings()` is built once, where the program starts, and
handed down. `docs/operations.md` lists every variable; a test asserts that the list is complete.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, PositiveFloat, PositiveInt, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from app.schemas.keys import KeyEntry
from app.schemas.search import DEFAULT_SECONDS

MIB = 1024**2
#: How the URL of a database begins.
DATABASES = ("postgresql://", "postgres://", "postgresql+psycopg://", "sqlite://")
#: How the address of a scheduler begins.
SCHEDULERS = ("tcp://", "tls://")
#: Where container engines put secrets.
SECRETS = Path("/run/secrets")


def default_training_memory() -> int:
    """Half of the memory this machine, or this container, has."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for limit_file in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            text = Path(limit_file).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if text.isdigit():
            total = min(total, int(text))
    return total // 2


class Settings(BaseSettings):
    """The settings of one service.

    What is not in the environment, or empty there, may be in a file of its name, in lower case, in the
    folder of secrets: a URL with a password in it, for one.
    """

    model_config = SettingsConfigDict(
        env_prefix="FRTSVM_", env_ignore_empty=True, extra="ignore", frozen=True
    )

    # --- where things are
    home: Path = Path(".frtsvm")
    """The folder of the store: database, artifacts, spooled training data, the server's secret."""
    database_url: str | None = None
    """URL of the metadata: postgresql://... or sqlite:///...; default: a file in the home folder."""
    artifacts: str | None = None
    """Where the files of the versions are: a folder, `file://...` or `s3://bucket/prefix`; default:
    the home folder."""
    artifact_cache_bytes: PositiveInt = 4096 * MIB
    """Copies of remote artifacts that are kept in the home folder."""
    secret_file: Path | None = None
    """The key of the HMAC: 32 bytes or 64 hexadecimal digits; default: made in the home folder."""
    database_connections: PositiveInt = 10
    """Connections to PostgreSQL that one web process opens at most, and one more."""

    # --- the server
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    workers: PositiveInt = 1
    """Web processes; they share one store."""
    log_format: Literal["auto", "json", "text"] = "auto"
    """`auto`: readable text if standard error is a terminal, JSON otherwise."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    access_log: bool = True
    """One log line per request."""
    shutdown_grace: PositiveFloat = 20.0
    """Seconds that requests in flight and running trainings get when the server stops."""

    # --- who may call
    api_keys: Annotated[tuple[KeyEntry, ...], NoDecode] = ()
    """Entries `name:scope+scope:sha256-of-the-key`, separated by commas or blanks."""
    allow_open: bool = False
    """Serve outside loopback without any key; the checks against pages of other sites are off too."""

    # --- limits of one request
    max_header_bytes: PositiveInt = 32 * 1024
    max_headers: PositiveInt = 100
    header_timeout: PositiveFloat = 5.0
    """Seconds until the headers of a request must be complete."""
    body_timeout: PositiveFloat = 60.0
    """Seconds until the body of a request must be complete."""
    keep_alive: PositiveInt = 5
    """Seconds that an idle connection is kept."""
    max_body_bytes: PositiveInt = 64 * MIB
    max_bytes_in_flight: PositiveInt = 256 * MIB
    """Bytes of request bodies that one web process holds at a time."""
    max_rows: PositiveInt = 1_000_000
    max_features: PositiveInt = 10_000
    max_cells: PositiveInt = 50_000_000
    max_classes: Annotated[int, Field(ge=2)] = 100

    # --- jobs
    queue_size: PositiveInt = 32
    """Trainings that may wait; beyond it the answer is 429."""
    training_slots: PositiveInt = 1
    """Trainings that one web process runs at a time."""
    training_preload: bool = True
    """Load the numerical code at the start. Without it the first training begins some seconds later, and
    a service that only predicts needs a quarter of the memory."""
    training_timeout: PositiveFloat = 3600.0
    """Seconds that one training may take."""
    training_wait: PositiveFloat = 55.0
    """Seconds that POST /train waits for the model; then it answers 202 with the job."""
    search_seconds: PositiveFloat = DEFAULT_SECONDS
    """Seconds that a parameter search may take if the caller does not say."""
    max_search_seconds: PositiveFloat = 1800.0
    """Seconds that a caller may ask for; never more than four fifths of `training_timeout`."""
    max_search_configurations: PositiveInt = 10_000
    """Configurations that one grid may have."""
    training_memory: PositiveInt = Field(default_factory=default_training_memory)
    """Bytes that one training may use; default: half of the machine or container."""
    job_history: PositiveInt = 1000
    """Ended jobs that are remembered."""
    lease_timeout: PositiveFloat = 30.0
    """Seconds without a beat after which a job of a vanished process is called interrupted."""

    dask_scheduler: str | None = None
    """Address of a Dask scheduler, tcp://... or tls://...: trainings run on its workers."""

    # --- the model cache of one web process
    cache_models: PositiveInt = 64
    cache_bytes: PositiveInt = 1024 * MIB

    def __init__(self, **values: Any) -> None:
        # A folder that is not there would only give a warning.
        folder = SECRETS if SECRETS.is_dir() else None
        super().__init__(_secrets_dir=folder, **values)

    @field_validator("api_keys", mode="before")
    @classmethod
    def _split_keys(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(KeyEntry.parse(part) for part in value.replace(",", " ").split())
        return value

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(DATABASES):
            raise ValueError(f"must begin with one of {', '.join(DATABASES)}")
        return value

    @field_validator("dask_scheduler")
    @classmethod
    def _known_scheduler(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(SCHEDULERS):
            raise ValueError(f"must begin with one of {', '.join(SCHEDULERS)}")
        return value

    @property
    def url(self) -> str:
        """The database that is used."""
        return self.database_url or f"sqlite:///{(self.home / 'frtsvm.sqlite3').absolute()}"
