"""The store: database, files and shared memory, opened and closed together."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from app.settings import Settings
from app.store.database import CONNECTIONS, Database, storage_error
from app.store.durable import make_folder
from app.store.files import Files
from app.store.generation import SharedGeneration
from app.store.heartbeat import Heartbeat
from app.store.identity import require_one_store
from app.store.jobs import JobStore
from app.store.presence import Presence
from app.store.process_registry import ProcessRegistry
from app.store.registry import Registry
from app.store.secret import Sealer, secret_of
from app.store.storage import open_storage
from app.store.uploads import Uploads

#: Seconds without a heartbeat after which a process on another machine is declared dead.
LEASE = 30.0
#: Maximum size in bytes of the local copies of remote artifacts.
CACHE_BYTES = 4 * 1024**3


class Store:
    """All persistent state of the service."""

    def __init__(
        self,
        home: Path,
        url: str,
        *,
        artifacts: str | None = None,
        secret_file: Path | None = None,
        cache_bytes: int = CACHE_BYTES,
        connections: int = CONNECTIONS,
        lease: float = LEASE,
    ) -> None:
        self._stack = ExitStack()
        home = home.absolute()
        try:
            make_folder(home / "processes")
            storage = open_storage(artifacts, home, cache_bytes)
            sealer = Sealer(secret_of(home, secret_file))
            self._open(home, url, connections, lease)
            require_one_store(self.database, storage, sealer)
            self.files = Files(storage, sealer, self.presence.id)
            self.uploads = Uploads(self.database, self.files)
            parts = (self.database, self.files, self.uploads, self.generation)
            self.registry = Registry(*parts)
            self.jobs = JobStore(*parts)
        except OSError as error:
            self._stack.close()
            raise storage_error(error) from error
        except BaseException:
            self._stack.close()
            raise

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Open the store that the settings describe."""
        return cls(
            settings.home,
            settings.url,
            artifacts=settings.artifacts,
            secret_file=settings.secret_file,
            cache_bytes=settings.artifact_cache_bytes,
            connections=settings.database_connections,
            lease=settings.lease_timeout,
        )

    def _open(self, home: Path, url: str, connections: int, lease: float) -> None:
        """Open the parts that `__exit__` has to close."""
        self.presence = Presence(home / "processes")
        self._stack.callback(self.presence.close)
        self.database = Database(url, connections)
        self._stack.callback(self.database.close)
        self.database.migrate()
        self.generation = SharedGeneration(home / "generation")
        self._stack.callback(self.generation.close)
        if not self.database.is_sqlite:
            self.presence.process_registry = ProcessRegistry(self.database, lease)
            heartbeat = Heartbeat(url, self.presence.id, self.generation, lease)
            self._stack.callback(heartbeat.close)

    def require_ready(self) -> None:
        """Raise `ServiceError` unless the database responds and files can be written."""
        self.jobs.counts()
        try:
            self.files.require_writable()
        except OSError as error:
            raise storage_error(error) from error

    def clean_up_after_dead_processes(self) -> None:
        """Remove temporary files, announced uploads and registrations of processes that have ended.

        The generation changes too: such a process may have committed a change of a model and ended
        before it changed the generation.
        """
        dead = self.presence.gone()
        if not dead:
            return
        self.generation.advance()
        owners = {job.owner for job in self.jobs.running()}
        for process in dead:
            self.files.drop_temporaries_of(process)
            self.uploads.forget(process)
            if process not in owners:  # otherwise the reaper still has to end its jobs
                self.presence.forget(process)

    def collect_garbage(self) -> None:
        """Remove files that nothing refers to: temporary files, training data and artifacts."""
        try:
            for process in self.files.temporary_owners():
                if self.presence.is_gone(process) is not False:
                    self.files.drop_temporaries_of(process)
            self.jobs.remove_unused_spools()
            self.registry.remove_unused_artifacts()
        except OSError as error:
            raise storage_error(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()
