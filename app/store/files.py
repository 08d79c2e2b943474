"""The files of the store: staged under a temporary name, durable before they are recorded.

`tmp/<process>.<token>` is a file that a process writes; `storage` says where it goes when it is
complete, and `uploads` how nobody removes it before it is recorded. Files are removed inside an
exclusive section, after the record of them is gone.
"""

from __future__ import annotations

import logging
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.errors import ArtifactDamaged, ServiceError, StoreUnavailable
from app.store.plain import digest_of, dump_plain, is_plain_file, load_plain
from app.store.secret import Sealer
from app.store.storage import ARTIFACTS, SPOOL, SUFFIX, Storage, artifact_name, spool_name, stem_of

log = logging.getLogger("frtsvm.store")


@dataclass(frozen=True)
class Staged:
    """A complete, fsynced file under its temporary name."""

    path: Path
    sha256: str
    size: int


@dataclass(frozen=True)
class Seal:
    """What the database knows about a file."""

    sha256: str
    size: int
    mac: str


def stage(folder: Path, process: str, state: dict[str, Any]) -> Staged:
    """Write plain data to a temporary file of that process and make it durable."""
    path = folder / f"{process}.{secrets.token_hex(8)}"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            written = dump_plain(state, file)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return Staged(path, written.sha256, written.size)


def load_verified(path: Path, sha256: str) -> dict[str, Any]:
    """The contents of a file whose digest is as expected; `ArtifactDamaged` otherwise."""
    if not is_plain_file(path):
        raise ArtifactDamaged(f"file {path.name} is missing")
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if digest_of(file) != sha256:
                raise ArtifactDamaged(f"file {path.name} is not what was written")
            return load_plain(file, size)
    except ArtifactDamaged:
        raise
    except Exception as error:  # a broken pickle raises nearly anything
        raise ArtifactDamaged(f"file {path.name} cannot be read") from error


class Files:
    """The sealed files of one store, as one process uses them."""

    def __init__(self, storage: Storage, sealer: Sealer, process: str) -> None:
        self.storage = storage
        self._sealer = sealer
        self.process = process

    @property
    def temporary(self) -> Path:
        """The folder of files that are being written."""
        return self.storage.staging

    def stage(self, state: dict[str, Any]) -> Staged:
        """Write plain data durably under a temporary name."""
        return stage(self.temporary, self.process, state)

    def seal(self, staged: Staged, purpose: str) -> Seal:
        """What the database has to know about a file."""
        return Seal(staged.sha256, staged.size, self._sealer.mac(purpose, staged.sha256))

    # --- artifacts: shared by content
    def load_artifact(self, seal: Seal, purpose: str) -> dict[str, Any]:
        """The contents, if the seal is ours and the file matches it."""
        self._require_mark(seal, purpose)
        name = artifact_name(seal.sha256)
        try:
            return self._load(name, seal.sha256)
        except ArtifactDamaged:
            # A copy may have gone bad, or been dropped just now; the original counts.
            if self.storage.forget_local(name):
                return self._load(name, seal.sha256)
            raise

    def _load(self, name: str, sha256: str) -> dict[str, Any]:
        path = self.storage.local(name, self.process)
        if not path.exists() and self.storage.read_marker() is None:
            raise StoreUnavailable("the artifacts cannot be reached")
        return load_verified(path, sha256)

    def artifact_looks_whole(self, seal: Seal) -> bool:
        """A cheap look: there, and of the right size."""
        return self.storage.size(artifact_name(seal.sha256)) == seal.size

    def stored_artifacts(self) -> list[str]:
        """Digests of all artifacts in the storage."""
        return self._stems(ARTIFACTS)

    # --- spooled training data: one per job
    def checked_spool(self, job: str, seal: Seal) -> Path:
        """Where the data of a job are; the child that loads them compares the digest."""
        self._require_mark(seal, SPOOL)
        # A copy is named as a temporary file of that job, and is removed with them.
        return self.storage.fetch(spool_name(job), self.temporary / f"{self.process}.{job}.data")

    def drop_spool(self, job: str) -> None:
        """Remove the data of a job that has ended; a sweep will, if that fails."""
        try:
            self.storage.delete([spool_name(job)])
        except (ServiceError, OSError) as error:
            log.warning("data are left behind", extra={"job": job, "why": str(error)})

    def stored_spools(self) -> list[str]:
        """Ids of all jobs with data in the storage."""
        return self._stems(SPOOL)

    # --- temporary files
    def discard(self, staged: Staged) -> None:
        """Remove a staged file that is not wanted any more."""
        staged.path.unlink(missing_ok=True)

    def temporary_owners(self) -> set[str]:
        """Processes that have temporary files."""
        return {path.name.split(".")[0] for path in self.temporary.iterdir()}

    def drop_temporaries_of(self, process: str) -> None:
        """Remove what a process that is gone, or a job of ours (`process.job`), was writing."""
        for path in self.temporary.glob(f"{process}.*"):
            path.unlink(missing_ok=True)

    def require_writable(self) -> None:
        """Write and remove a file, durably, and see that the storage answers."""
        self.discard(self.stage({"probe": secrets.token_hex(4)}))
        if self.storage.read_marker() is None:
            raise StoreUnavailable("the artifacts cannot be reached")

    def _stems(self, folder: str) -> list[str]:
        return [stem_of(name) for name in self.storage.names(folder) if name.endswith(SUFFIX)]

    def _require_mark(self, seal: Seal, purpose: str) -> None:
        if not self._sealer.matches(purpose, seal.sha256, seal.mac):
            raise ArtifactDamaged(f"file {seal.sha256[:12]} was not written by this server")
