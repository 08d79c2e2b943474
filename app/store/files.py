"""Files of the store: written under a temporary name and durable before they are recorded.

A process writes a file as `tmp/<process>.<token>`. `storage` defines the name of the complete file;
`uploads` protects it from garbage collection until it is recorded. An artifact is removed in an
exclusive transaction, after the last record that refers to it. Training data belong to one job, so
they are removed without a lock after the job has ended.
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
    """A complete, fsynced file that still has its temporary name."""

    path: Path
    sha256: str
    size: int


@dataclass(frozen=True)
class Seal:
    """Digest, size in bytes and MAC of a file, as recorded in the database."""

    sha256: str
    size: int
    mac: str


def stage(folder: Path, process: str, state: dict[str, Any]) -> Staged:
    """Write plain data durably to a temporary file that belongs to `process`."""
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
    """Load a file; raise `ArtifactDamaged` if it is missing or does not match its digest."""
    if not is_plain_file(path):
        raise ArtifactDamaged(
            f"The file {path.name} is missing. Restore it from a backup, or train again."
        )
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if digest_of(file) != sha256:
                raise ArtifactDamaged(
                    f"The file {path.name} was changed after it was written. "
                    "Restore it from a backup, or train again."
                )
            return load_plain(file, size)
    except ArtifactDamaged:
        raise
    except Exception as error:  # a broken pickle can raise almost any exception
        raise ArtifactDamaged(
            f"The file {path.name} cannot be read. Restore it from a backup, or train again."
        ) from error


class Files:
    """Reads and writes the files of a store on behalf of one process."""

    def __init__(self, storage: Storage, sealer: Sealer, process: str) -> None:
        self.storage = storage
        self._sealer = sealer
        self.process = process

    @property
    def temporary(self) -> Path:
        """Folder of files that are being written."""
        return self.storage.staging

    def stage(self, state: dict[str, Any]) -> Staged:
        """Write plain data durably to a temporary file of this process."""
        return stage(self.temporary, self.process, state)

    def seal(self, staged: Staged, purpose: str) -> Seal:
        """Return digest, size and MAC of a staged file."""
        return Seal(staged.sha256, staged.size, self._sealer.mac(purpose, staged.sha256))

    # --- artifacts: named by digest, so equal contents share a file
    def load_artifact(self, seal: Seal, purpose: str) -> dict[str, Any]:
        """Load an artifact after checking its MAC and its digest."""
        self._require_mac(seal, purpose)
        name = artifact_name(seal.sha256)
        try:
            return self._load(name, seal.sha256)
        except ArtifactDamaged:
            # A local copy may be damaged, or was just evicted: load the original.
            if self.storage.forget_local(name):
                return self._load(name, seal.sha256)
            raise

    def _load(self, name: str, sha256: str) -> dict[str, Any]:
        path = self.storage.local(name, self.process)
        if not path.exists() and self.storage.read_store_id() is None:
            raise StoreUnavailable(
                "The artifacts cannot be reached. Check that the location in FRTSVM_ARTIFACTS (by "
                "default FRTSVM_HOME) is accessible."
            )
        return load_verified(path, sha256)

    def artifact_looks_whole(self, seal: Seal) -> bool:
        """Whether the file exists with the recorded size; its contents are not read."""
        return self.storage.size(artifact_name(seal.sha256)) == seal.size

    def stored_artifacts(self) -> list[str]:
        """Return the digests of all artifacts in the storage."""
        return self._stems(ARTIFACTS)

    # --- spooled training data: one per job
    def checked_spool(self, job: str, seal: Seal) -> Path:
        """Return a local path of the training data of a job, after checking the MAC.

        The training process checks the digest when it loads the file.
        """
        self._require_mac(seal, SPOOL)
        # A local copy is a temporary file of the job and is removed with its other temporary files.
        return self.storage.fetch(spool_name(job), self.temporary / f"{self.process}.{job}.data")

    def drop_spool(self, job: str) -> None:
        """Remove the training data of an ended job; if this fails, garbage collection does it."""
        try:
            self.storage.delete([spool_name(job)])
        except (ServiceError, OSError) as error:
            log.warning(
                "cannot remove training data, retrying later",
                extra={"job": job, "why": str(error)},
            )

    def stored_spools(self) -> list[str]:
        """Return the ids of all jobs with training data in the storage."""
        return self._stems(SPOOL)

    # --- temporary files
    def discard(self, staged: Staged) -> None:
        """Remove a staged file."""
        staged.path.unlink(missing_ok=True)

    def temporary_owners(self) -> set[str]:
        """Return the ids of all processes that have temporary files."""
        return {path.name.split(".")[0] for path in self.temporary.iterdir()}

    def drop_temporaries_of(self, process: str) -> None:
        """Remove the temporary files of an ended process, or of one job (`<process>.<job>`)."""
        for path in self.temporary.glob(f"{process}.*"):
            path.unlink(missing_ok=True)

    def require_writable(self) -> None:
        """Write and remove a test file; raise if that fails or the storage cannot be reached."""
        self.discard(self.stage({"probe": secrets.token_hex(4)}))
        if self.storage.read_store_id() is None:
            raise StoreUnavailable(
                "The artifacts cannot be reached. Check that the location in FRTSVM_ARTIFACTS (by "
                "default FRTSVM_HOME) is accessible."
            )

    def _stems(self, folder: str) -> list[str]:
        return [stem_of(name) for name in self.storage.names(folder) if name.endswith(SUFFIX)]

    def _require_mac(self, seal: Seal, purpose: str) -> None:
        if not self._sealer.matches(purpose, seal.sha256, seal.mac):
            raise ArtifactDamaged(
                f"The file {seal.sha256[:12]} was not written by this server: its MAC in the "
                "database does not match the secret. Restore a backup, or train again."
            )
