"""Store operations of single requests, as functions that report each acknowledged change."""

from __future__ import annotations

import os
import random
from collections.abc import Callable

from app.errors import ServiceError
from app.schemas.jobs import JobState
from app.store.store import Store
from tests.reliability.over_store import clean_up, state_of

N_SEEDS = 4
PROGRESS = {"phase": "done", "percent": 100.0}
Report = Callable[..., None]
Operation = Callable[[Store, random.Random, Report], None]


def enqueue(store: Store, model: str, seed: int) -> str:
    """Queue a training."""
    data = store.files.stage(state_of(seed, "data"))
    return store.jobs.enqueue(model, {}, data, 1, "request", 100).id


def publish(store: Store, seed: int) -> tuple[str, int] | None:
    """Claim the oldest job and publish its version."""
    record = store.jobs.claim(store.presence.id)
    assert record is not None
    predictor = store.files.stage(state_of(seed, "predictor"))
    evidence = store.files.stage(state_of(seed, "evidence"))
    try:
        version = store.jobs.publish(record.id, record.fence, predictor, evidence, {}, PROGRESS)
    except ServiceError:
        store.jobs.end(record.id, record.fence, JobState.FAILED, {"code": "storage"})
        raise
    return None if version is None else (record.model, version)


def create(store: Store, chance: random.Random, report: Report) -> None:
    """Create a new model with one version."""
    seed = chance.randrange(N_SEEDS)
    made = train(store, f"model-{chance.randrange(10**9)}", seed)
    report("trained", made, seed)


def replace(store: Store, chance: random.Random, report: Report) -> None:
    """Create a new version of the model `kept`, and move the alias `production` to it."""
    seed = chance.randrange(N_SEEDS)
    made = train(store, "kept", seed)
    report("trained", made, seed)
    store.registry.move_alias("kept", "production", made[1])
    report("promoted", made)


def train(store: Store, model: str, seed: int) -> tuple[str, int]:
    """Queue and run a training; return its version."""
    enqueue(store, model, seed)
    made = publish(store, seed)
    assert made is not None
    return made


def delete(store: Store, chance: random.Random, report: Report) -> None:
    """Delete the oldest version of `kept` without the alias `production`."""
    records, _, aliases = store.registry.page_of_versions("kept", 1000, 0)
    spare = [r.version for r in records if r.version not in aliases.values()]
    report("deleting", ("kept", spare[-1]))
    store.registry.delete_version("kept", spare[-1])
    report("deleted", ("kept", spare[-1]))


def cancel_queued(store: Store, chance: random.Random, report: Report) -> None:
    """Cancel a queued training."""
    job = enqueue(store, "cancelled", 0)
    report("queued", job)
    store.jobs.request_cancel(job)
    report("cancelled", job)


def cancel_running(store: Store, chance: random.Random, report: Report) -> None:
    """Cancel a running training whose process then tries to publish its result."""
    job = enqueue(store, "cancelled", 0)
    report("queued", job)
    record = store.jobs.claim(store.presence.id)
    assert record is not None
    store.jobs.request_cancel(job)
    predictor = store.files.stage(state_of(0, "predictor"))
    evidence = store.files.stage(state_of(0, "evidence"))
    late = store.jobs.publish(job, record.fence, predictor, evidence, {}, PROGRESS)
    assert late is None
    store.jobs.end(job, record.fence, JobState.CANCELLED, None)
    report("cancelled", job)


def start(store: Store, chance: random.Random, report: Report) -> None:
    """Clean up leftovers of a dead process, as a server does at its start."""
    data = store.files.stage(state_of(1, "data"))
    os.replace(data.path, store.files.temporary / "nobody.1")
    job = enqueue(store, "left", 1)
    report("queued", job)
    store.jobs.claim("nobody")
    clean_up(store)


OPERATIONS: tuple[Operation, ...] = (create, replace, delete, cancel_queued, cancel_running, start)
