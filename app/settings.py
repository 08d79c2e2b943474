"""Settings of the service, read from environment variables named `FRTSVM_...`.

No module reads the environment when it is imported. The program creates `Settings()` once, at its
start, and passes it on. `docs/operations.md` lists every variable; a test asserts that the list is
complete.
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
#: Prefixes of a valid database URL.
DATABASES = ("postgresql://", "postgres://", "postgresql+psycopg://", "sqlite://")
#: Prefixes of a valid scheduler address.
SCHEDULERS = ("tcp://", "tls://")
#: Folder where container engines mount secrets.
SECRETS = Path("/run/secrets")


def default_training_memory() -> int:
    """Return half of the memory of this host or container, in bytes."""
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

    A variable that is unset or empty is read from `/run/secrets/<lowercase name>` if that file
    exists, for example a database URL with a password.
    """

    model_config = SettingsConfigDict(
        env_prefix="FRTSVM_", env_ignore_empty=True, extra="ignore", frozen=True
    )

    # --- storage
    home: Path = Path(".frtsvm")
    """Folder of the store: database, artifacts, training data of queued jobs, HMAC key."""
    database_url: str | None = None
    """URL of the database, postgresql://... or sqlite:///...; default: file in the home folder."""
    artifacts: str | None = None
    """Location of the files of model versions and queued trainings: a folder, `file://...` or
    `s3://bucket/prefix`; default: the home folder."""
    artifact_cache_bytes: PositiveInt = 4096 * MIB
    """Largest total size of the copies of remote artifacts in the home folder, in bytes."""
    secret_file: Path | None = None
    """File with the HMAC key of the artifacts: 32 bytes or 64 hexadecimal digits; default: a file
    in the home folder, created at the first start."""
    database_connections: PositiveInt = 10
    """Maximum number of PostgreSQL connections per web process, not counting the one of its
    heartbeat."""

    # --- the server
    host: str = "127.0.0.1"
    """Address to listen on."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    """Port to listen on."""
    workers: PositiveInt = 1
    """Number of web processes. They share one store."""
    log_format: Literal["auto", "json", "text"] = "auto"
    """`auto`: readable text if standard error is a terminal, JSON otherwise."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """Lowest level of the log lines that are written."""
    access_log: bool = True
    """Write one log line per request."""
    shutdown_grace: PositiveFloat = 20.0
    """Seconds that running requests and trainings have to finish when the server stops."""

    # --- access
    api_keys: Annotated[tuple[KeyEntry, ...], NoDecode] = ()
    """API keys: entries `name:scope+scope:sha256-of-the-key`, separated by commas or spaces."""
    allow_open: bool = False
    """Without keys: listen on addresses other than loopback, and skip the checks of `Host` and
    `Origin` that protect against requests from other web sites."""

    # --- limits of one request
    max_header_bytes: PositiveInt = 32 * 1024
    """Largest size of the request line and headers, in bytes."""
    max_headers: PositiveInt = 100
    """Largest number of header fields."""
    header_timeout: PositiveFloat = 5.0
    """Seconds within which the headers of a request must arrive."""
    body_timeout: PositiveFloat = 60.0
    """Seconds within which the body of a request must arrive."""
    keep_alive: PositiveInt = 5
    """Seconds after which an idle connection is closed."""
    max_body_bytes: PositiveInt = 64 * MIB
    """Largest size of one request body after decompression, in bytes."""
    max_bytes_in_flight: PositiveInt = 256 * MIB
    """Total size of the request bodies that one web process holds at a time, in bytes."""
    max_rows: PositiveInt = 1_000_000
    """Largest number of rows."""
    max_features: PositiveInt = 10_000
    """Largest number of features."""
    max_cells: PositiveInt = 50_000_000
    """Largest product of rows and features."""
    max_classes: Annotated[int, Field(ge=2)] = 100
    """Largest number of different labels."""

    # --- jobs
    queue_size: PositiveInt = 32
    """Number of trainings that may wait in all processes. Beyond it, POST /train returns 429."""
    training_slots: PositiveInt = 1
    """Number of trainings that one web process runs at a time."""
    training_preload: bool = True
    """Load the numerical libraries of trainings at the start of the service. If false, the first
    training starts some seconds later, and an idle service needs a quarter of the memory until
    then."""
    training_timeout: PositiveFloat = 3600.0
    """Seconds after which a training job is ended."""
    training_wait: PositiveFloat = 55.0
    """Seconds that POST /train waits for the model before it returns 202 with the job."""
    search_seconds: PositiveFloat = DEFAULT_SECONDS
    """Time budget of a parameter search, in seconds, if the request does not set one."""
    max_search_seconds: PositiveFloat = 1800.0
    """Largest time budget that a request may set, in seconds; never above 80 % of
    `training_timeout`."""
    max_search_configurations: PositiveInt = 10_000
    """Largest number of configurations in the grid of a search."""
    training_memory: PositiveInt = Field(default_factory=default_training_memory)
    """Bytes of memory that one training may use; default: half of the host's or container's."""
    job_history: PositiveInt = 1000
    """Number of ended jobs that are kept in the database."""
    lease_timeout: PositiveFloat = 30.0
    """Seconds after which a running job whose process sends no heartbeat counts as interrupted."""

    dask_scheduler: str | None = None
    """Address of a Dask scheduler, tcp://... or tls://...; trainings then run on its workers."""

    # --- the model cache of one web process
    cache_models: PositiveInt = 64
    """Largest number of loaded models."""
    cache_bytes: PositiveInt = 1024 * MIB
    """Largest total size of the loaded models, in bytes."""

    def __init__(self, **values: Any) -> None:
        # pydantic warns about a folder that does not exist.
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
            raise ValueError(f"The URL must start with one of {', '.join(DATABASES)}.")
        return value

    @field_validator("dask_scheduler")
    @classmethod
    def _known_scheduler(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(SCHEDULERS):
            raise ValueError(f"The address must start with one of {', '.join(SCHEDULERS)}.")
        return value

    @property
    def url(self) -> str:
        """URL of the database: the configured one, or the SQLite file in the home folder."""
        return self.database_url or f"sqlite:///{(self.home / 'frtsvm.sqlite3').absolute()}"
