"""The store as a whole: publishing, the job queue, garbage collection, damaged files."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.errors import (
    ArtifactDamaged,
    JobFinished,
    ModelNotFound,
    QueueFull,
    StoreUnavailable,
    VersionNotFound,
)
from app.jobs.reaper import Reaper
from app.schemas.jobs import JobState
from app.store.jobs import JobRecord
from app.store.states import TRANSITIONS, require_allowed
from app.store.storage import artifact_name
from app.store.store import Store

INFO = {"classes": [0, 1]}


def enqueue(
    store: Store, model: str = "m", limit: int = 10, options: dict[str, Any] | None = None
) -> JobRecord:
    data = store.files.stage({"rows": np.arange(4.0)})
    return store.jobs.enqueue(model, options or {}, data, 1, "r", limit)


def claim(store: Store) -> JobRecord:
    record = store.jobs.claim(store.presence.id)
    assert record is not None
    return record


def publish(store: Store, job: JobRecord, value: float = 1.0) -> int | None:
    predictor = store.files.stage({"w": np.array([value])})
    evidence = store.files.stage({"s": np.array([value, 2.0])})
    return store.jobs.publish(job.id, job.fence, predictor, evidence, INFO, {"phase": "done"})


def make_version(store: Store, model: str = "m", value: float = 1.0) -> int:
    enqueue(store, model)
    version = publish(store, claim(store), value)
    assert version is not None
    return version


def test_a_published_version_can_be_loaded(store: Store) -> None:
    version = make_version(store)
    record = store.registry.resolve("m")
    assert (record.version, version) == (1, 1)
    assert store.registry.load_predictor(record)["w"][0] == 1.0
    assert store.registry.load_evidence(record)["s"].tolist() == [1.0, 2.0]
    assert store.jobs.get(record.job).state is JobState.SUCCEEDED
    assert store.files.stored_spools() == []


def test_a_second_process_sees_a_new_version_immediately(
    store: Store, tmp_path: Path, database_url: str
) -> None:
    with Store(tmp_path / "store", database_url) as other:
        before = other.generation.current()
        make_version(store)
        assert other.generation.current() != before
        record = other.registry.resolve("m")
        assert other.registry.load_predictor(record)["w"][0] == 1.0


def test_a_cancelled_job_cannot_publish(store: Store) -> None:
    enqueue(store)
    job = claim(store)
    store.jobs.request_cancel(job.id)
    assert publish(store, job) is None
    with pytest.raises(ModelNotFound):
        store.registry.resolve("m")


def test_a_search_asked_to_keep_its_best_can_publish_until_it_is_cancelled(store: Store) -> None:
    searches = [enqueue(store, options={"search": {}}) for _ in range(2)]
    first, second = claim(store), claim(store)
    assert [first.id, second.id] == [job.id for job in searches]
    for job in (first, second):
        asked = store.jobs.request_best(job.id)
        assert (asked.keep_best, asked.cancel_requested) == (True, False)
    assert publish(store, first) == 1
    store.jobs.request_cancel(second.id)
    assert publish(store, second) is None
    with pytest.raises(JobFinished):
        store.jobs.request_best(first.id)


def test_keep_best_cancels_a_job_that_has_no_best_model(store: Store) -> None:
    queued = enqueue(store, options={"search": {}})
    assert store.jobs.request_best(queued.id).state is JobState.CANCELLED
    enqueue(store)
    plain = store.jobs.request_best(claim(store).id)
    assert (plain.keep_best, plain.cancel_requested) == (False, True)


def test_a_job_declared_dead_cannot_publish(store: Store) -> None:
    enqueue(store)
    job = claim(store)
    assert store.jobs.end(job.id, job.fence, JobState.FAILED, {"code": "x"})
    assert publish(store, job) is None
    assert not store.jobs.heartbeat(job.id, job.fence, {})
    assert not store.jobs.end(job.id, job.fence, JobState.CANCELLED, None)


def test_the_queue_is_bounded_and_refused_jobs_leave_no_files(store: Store) -> None:
    enqueue(store, limit=1)
    with pytest.raises(QueueFull):
        enqueue(store, limit=1)
    assert len(store.files.stored_spools()) == 1
    assert list(store.files.temporary.iterdir()) == []


def test_each_job_is_claimed_once(store: Store, tmp_path: Path, database_url: str) -> None:
    ids = [enqueue(store, limit=100).id for _ in range(30)]
    claimed: list[str] = []
    lock = threading.Lock()

    def take() -> None:
        with Store(tmp_path / "store", database_url) as mine:
            while (record := mine.jobs.claim(mine.presence.id)) is not None:
                with lock:
                    claimed.append(record.id)

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claimed) == sorted(ids)


def test_cancelling_queued_cancelled_and_ended_jobs(store: Store) -> None:
    job = enqueue(store)
    assert store.jobs.request_cancel(job.id).state is JobState.CANCELLED
    assert store.jobs.request_cancel(job.id).state is JobState.CANCELLED
    make_version(store)
    done = store.registry.resolve("m").job
    with pytest.raises(JobFinished):
        store.jobs.request_cancel(done)


def test_ended_states_have_no_transitions() -> None:
    assert all(not TRANSITIONS[state] for state in JobState if state.ended)
    with pytest.raises(ValueError, match="cannot go"):
        require_allowed(JobState.SUCCEEDED, JobState.RUNNING)


def test_prune_keeps_the_newest(store: Store) -> None:
    for value in range(5):
        make_version(store, value=float(value))
    waiting = enqueue(store)
    assert store.jobs.prune(2) == 3
    left, total = store.jobs.page(None, 10, 0)
    assert total == 3
    assert left[0].id == waiting.id
    assert store.jobs.prune(2) == 0


def test_garbage_collection_removes_orphans_and_nothing_else(store: Store, tmp_path: Path) -> None:
    make_version(store)
    job = enqueue(store)
    home = tmp_path / "store"
    for orphan in ("artifacts/" + "0" * 64 + ".joblib", "spool/gone.joblib", "tmp/dead.1"):
        (home / orphan).write_bytes(b"x")
    mine = store.files.stage({"a": 1})
    store.collect_garbage()
    assert len(store.files.stored_artifacts()) == 2
    assert store.files.stored_spools() == [job.id]
    assert [path.name for path in (home / "tmp").iterdir()] == [mine.path.name]
    store.registry.load_predictor(store.registry.resolve("m"))


def test_swapped_and_foreign_files_are_refused(store: Store, tmp_path: Path) -> None:
    make_version(store, "a", 1.0)
    make_version(store, "b", 2.0)
    first, second = store.registry.resolve("a"), store.registry.resolve("b")
    folder = tmp_path / "store" / "artifacts"
    one = folder / f"{first.predictor.sha256}.joblib"
    two = folder / f"{second.predictor.sha256}.joblib"
    contents = one.read_bytes()
    one.chmod(0o600)
    one.write_bytes(two.read_bytes())
    with pytest.raises(ArtifactDamaged):
        store.registry.load_predictor(first)
    store.registry.load_predictor(second)
    one.write_bytes(contents)
    # A correct digest with a wrong MAC: written by someone without the secret.
    forged: Any = type(first.predictor)(first.predictor.sha256, first.predictor.size, "0" * 64)
    with pytest.raises(ArtifactDamaged, match="not written by this server"):
        store.files.load_artifact(forged, "predictor")
    # The MAC of a predictor is not valid for evidence.
    with pytest.raises(ArtifactDamaged):
        store.files.load_artifact(first.predictor, "evidence")


def test_a_missing_file_is_detected(store: Store) -> None:
    make_version(store)
    record = store.registry.resolve("m")
    assert store.registry.looks_whole(record)
    store.files.storage.delete([artifact_name(record.predictor.sha256)])
    assert not store.registry.looks_whole(record)
    with pytest.raises(ArtifactDamaged):
        store.registry.load_predictor(record)


def test_deleting_a_missing_model_or_version_is_an_error(store: Store) -> None:
    with pytest.raises(ModelNotFound):
        store.registry.delete_version("m", 1)
    make_version(store)
    with pytest.raises(VersionNotFound):
        store.registry.delete_version("m", 2)


def test_the_secret_is_persistent_and_private(
    store: Store, tmp_path: Path, database_url: str
) -> None:
    path = tmp_path / "store" / "secret.key"
    assert path.stat().st_mode & 0o777 == 0o600
    before = path.read_bytes()
    with Store(tmp_path / "store", database_url):
        assert path.read_bytes() == before
    path.write_bytes(b"short")
    with pytest.raises(StoreUnavailable):
        Store(tmp_path / "store", database_url)


DIE = """
import os, sys
from pathlib import Path
from app.store.store import Store
store = Store(Path(sys.argv[1]), sys.argv[2])
store.jobs.claim(store.presence.id)
store.files.stage({"half": 1})
os._exit(9)
"""


def test_jobs_of_a_dead_process_are_marked_interrupted(
    store: Store, tmp_path: Path, database_url: str
) -> None:
    job = enqueue(store)
    die = [sys.executable, "-c", DIE, str(tmp_path / "store"), database_url]
    assert subprocess.run(die, check=False).returncode == 9
    assert store.jobs.get(job.id).state is JobState.RUNNING
    Reaper(store, lease=1000).reap()
    record = store.jobs.get(job.id)
    assert record.state is JobState.FAILED
    assert record.error is not None
    assert record.error["code"] == "interrupted"
    before = store.generation.current()
    store.clean_up_after_dead_processes()
    assert list(store.files.temporary.iterdir()) == []
    assert store.presence.known() == [store.presence.id]
    assert (
        store.generation.current() != before
    )  # caches are invalidated, because it may have changed something


def test_the_lease_depends_on_heartbeats_not_on_timestamps(store: Store) -> None:
    enqueue(store)
    job = claim(store)
    clock = [0.0]
    reaper = Reaper(store, lease=30, clock=lambda: clock[0])

    def reap_until(end: float) -> JobState:
        while clock[0] < end:
            clock[0] += 1
            reaper.reap()
        return store.jobs.get(job.id).state

    assert reap_until(29) is JobState.RUNNING
    store.jobs.heartbeat(job.id, job.fence, {})
    assert reap_until(40) is JobState.RUNNING  # 10 s after the new heartbeat was first observed
    clock[0] += 3600  # an hour without observation does not count against the job
    assert reap_until(3641) is JobState.RUNNING
    assert reap_until(3680) is JobState.FAILED
