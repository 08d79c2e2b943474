"""View of a store from inside, with the classes of the service."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from app.errors import ArtifactDamaged, ModelNotFound, VersionNotFound
from app.jobs.reaper import Reaper
from app.store.registry import VersionRecord
from app.store.store import Store
from tests.reliability.invariants import Version

PAGE = 10_000


def state_of(seed: int, part: str) -> dict[str, Any]:
    """State that a training would store: plain data that identify the seed of the training data."""
    rng = np.random.default_rng([seed, len(part)])
    return {"format": 1, "seed": seed, "part": part, "weights": rng.normal(size=(20, 10))}


def digest_of_states(predictor: dict[str, Any], evidence: dict[str, Any]) -> bytes:
    """Digest of the loaded states of a version."""
    digest = hashlib.sha256()
    for state in (predictor, evidence):
        for key in sorted(state):
            value = state[key]
            digest.update(key.encode())
            digest.update(
                value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode()
            )
    return digest.digest()


def expected_digest(seed: int) -> bytes:
    """Digest of a version that was trained with this seed."""
    return digest_of_states(state_of(seed, "predictor"), state_of(seed, "evidence"))


class StoreView:
    """View of the contents of an open store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def versions(self) -> set[Version]:
        """All versions of all models."""
        return {(record.model, record.version) for record in self._records()}

    def _records(self) -> list[VersionRecord]:
        models, _ = self._store.registry.page_of_models(PAGE, 0)
        return [
            record
            for model in models
            for record in self._store.registry.page_of_versions(model.name, PAGE, 0)[0]
        ]

    def fingerprint(self, version: Version) -> bytes | None:
        """Digest of both files of the version."""
        registry = self._store.registry
        try:
            record = registry.resolve(*version)
            return digest_of_states(registry.load_predictor(record), registry.load_evidence(record))
        except (ModelNotFound, VersionNotFound):
            return None
        except ArtifactDamaged as error:
            return error.detail.encode()

    def jobs(self) -> list[dict[str, Any]]:
        """All jobs."""
        records, _ = self._store.jobs.page(None, PAGE, 0)
        return [
            {"id": job.id, "state": job.state.value, "model": job.model, "version": job.version}
            for job in records
        ]

    def leftovers(self) -> list[str]:
        """Temporary files, data of ended jobs, and artifacts that no version uses."""
        files = self._store.files
        found = [f"tmp/{path.name}" for path in files.temporary.iterdir()]
        found += [f"spool/{job}" for job in files.stored_spools()]
        used = {
            seal.sha256
            for record in self._records()
            for seal in (record.predictor, record.evidence)
        }
        return found + [f"artifacts/{name}" for name in set(files.stored_artifacts()) - used]


def clean_up(store: Store) -> None:
    """Run the cleanup that a server runs after its start and every minute."""
    store.clean_up_after_dead_processes()
    Reaper(store, lease=1e9).reap()
    store.clean_up_after_dead_processes()
    store.collect_garbage()
