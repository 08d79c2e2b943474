"""What a server does with its store for one request, as functions that report what is acknowledged."""

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
    """Take in a training."""
    data = store.files.stage(state_of(seed, "data"))
    return store.jobs.enqueue(model, {}, data, 1, "request", 100).id


def publish(store: Store, seed: int) -> tuple[str, int] | None:
    """Run the oldest training."""
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
    """A new version of a new model."""
    seed = chance.randrange(N_SEEDS)
    made = train(store, f"model-{chance.randrange(10**9)}", seed)
    report("trained", made, seed)


def replace(store: Store, chance: random.Random, report: Report) -> None:
    """A new version of a model, and production moves to it."""
    seed = chance.randrange(N_SEEDS)
    made = train(store, "kept", seed)
    report("trained", made, seed)
    store.registry.move_alias("kept", "production", made[1])
    report("promoted", made)


def train(store: Store, model: str, seed: int) -> tuple[str, int]:
    """From data to a version."""
    enqueue(store, model, seed)
    made = publish(store, seed)
    assert made is not None
    return made


def delete(store: Store, chance: random.Random, report: Report) -> None:
    """Retire the oldest version of `kept` that production does not point at."""
    records, _, aliases = store.registry.page_of_versions("kept", 1000, 0)
    spare = [r.version for r in records if r.version not in aliases.values()]
    report("deleting", ("kept", spare[-1]))
    store.registry.delete_version("kept", spare[-1])
    report("deleted", ("kept", spare[-1]))


def cancel_queued(store: Store, chance: random.Random, report: Report) -> None:
    """A training that has not begun."""
    job = enqueue(store, "cancelled", 0)
    report("queued", job)
    store.jobs.request_cancel(job)
    report("cancelled", job)


def cancel_running(store: Store, chance: random.Random, report: Report) -> None:
    """A training whose process comes too late with its result."""
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
    """What a server does first, with something to clean up."""
    data = store.files.stage(state_of(1, "data"))
    os.replace(data.path, store.files.temporary / "nobody.1")
    job = enqueue(store, "left", 1)
    report("queued", job)
    store.jobs.claim("nobody")
    clean_up(store)


OPERATIONS: tuple[Operation, ...] = (create, replace, delete, cancel_queued, cancel_running, start)
