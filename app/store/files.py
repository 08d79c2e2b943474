"""The files of the store: staged under a temporary name, durable before they are recorded.

    home/artifacts/<sha256>.joblib   predictors and evidence of versions
    home/spool/<job>.joblib          training data of jobs that have not ended
    home/tmp/<process>.<token>       being written

A file gets its final name inside the exclusive section that records it (`Database.exclusive`), and
is removed inside one too, after the record of it is gone.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.errors import ArtifactDamaged
from app.store.plain import digest_of, dump_plain, is_plain_file, load_plain
from app.store.secret import Sealer


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
    """The folders of one store, used by one process."""

    def __init__(self, home: Path, sealer: Sealer, process: str) -> None:
        self._sealer = sealer
        self.process = process
        self.temporary = home / "tmp"
        self._artifacts = home / "artifacts"
        self._spool = home / "spool"

    @staticmethod
    def prepare(home: Path) -> None:
        """Make the folders."""
        for name in ("artifacts", "spool", "tmp", "processes"):
            (home / name).mkdir(mode=0o700, parents=True, exist_ok=True)

    def stage(self, state: dict[str, Any]) -> Staged:
        """Write plain data durably under a temporary name."""
        return stage(self.temporary, self.process, state)

    # --- artifacts: shared by content
    def keep_artifact(self, staged: Staged, purpose: str) -> Seal:
        """Give a staged file its final name. Inside an exclusive section."""
        target = self._artifact_path(staged.sha256)
        try:
            _rename_durably(staged.path, target)
        except FileNotFoundError:
            # Renamed by an attempt whose transaction failed in the end; look what is there.
            load_verified(target, staged.sha256)
        return Seal(staged.sha256, staged.size, self._sealer.mac(purpose, staged.sha256))

    def load_artifact(self, seal: Seal, purpose: str) -> dict[str, Any]:
        """The contents, if the seal is ours and the file matches it."""
        self._require_mark(seal, purpose)
        return load_verified(self._artifact_path(seal.sha256), seal.sha256)

    def artifact_looks_whole(self, seal: Seal) -> bool:
        """A cheap look: there, and of the right size."""
        path = self._artifact_path(seal.sha256)
        return is_plain_file(path) and path.stat().st_size == seal.size

    def drop_artifact(self, sha256: str) -> None:
        """Remove a file that no version refers to any more. Inside an exclusive section."""
        self._artifact_path(sha256).unlink(missing_ok=True)

    def stored_artifacts(self) -> list[str]:
        """Digests of all artifacts on disk."""
        return [path.stem for path in self._artifacts.glob("*.joblib")]

    # --- spooled training data: one per job
    def keep_spool(self, staged: Staged, job: str) -> Seal:
        """Give the data of a job their final name. Inside an exclusive section."""
        _rename_durably(staged.path, self._spool_path(job))
        return Seal(staged.sha256, staged.size, self._sealer.mac("spool", staged.sha256))

    def checked_spool(self, job: str, seal: Seal) -> Path:
        """Where the data of a job are; the child that loads them compares the digest."""
        self._require_mark(seal, "spool")
        return self._spool_path(job)

    def drop_spool(self, job: str) -> None:
        """Remove the data of a job that has ended."""
        self._spool_path(job).unlink(missing_ok=True)

    def stored_spools(self) -> list[str]:
        """Ids of all jobs with data on disk."""
        return [path.stem for path in self._spool.glob("*.joblib")]

    # --- temporary files
    def discard(self, staged: Staged) -> None:
        """Remove a staged file that is not wanted after all."""
        staged.path.unlink(missing_ok=True)

    def temporary_owners(self) -> set[str]:
        """Processes that have temporary files."""
        return {path.name.split(".")[0] for path in self.temporary.iterdir()}

    def drop_temporaries_of(self, process: str) -> None:
        """Remove what a process that is gone, or a job of ours (`process.job`), was writing."""
        for path in self.temporary.glob(f"{process}.*"):
            path.unlink(missing_ok=True)

    def require_writable(self) -> None:
        """Write and remove a file, durably."""
        self.discard(self.stage({"probe": secrets.token_hex(4)}))

    def _require_mark(self, seal: Seal, purpose: str) -> None:
        if not self._sealer.matches(purpose, seal.sha256, seal.mac):
            raise ArtifactDamaged(f"file {seal.sha256[:12]} was not written by this server")

    def _artifact_path(self, sha256: str) -> Path:
        return self._artifacts / f"{sha256}.joblib"

    def _spool_path(self, job: str) -> Path:
        return self._spool / f"{job}.joblib"


def _rename_durably(source: Path, target: Path) -> None:
    os.replace(source, target)
    descriptor = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
