"""What is different on PostgreSQL, and what several machines see of each other."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text

from app.errors import StoreUnavailable
from app.schemas.jobs import JobState
from app.store.database import Database
from app.store.heartbeat import LOOK_INTERVAL
from app.store.process_registry import ProcessRegistry
from app.store.schema import jobs, versions
from app.store.store import Store
from tests.app.postgres import Postgres
from tests.app.store.test_store import claim, enqueue, make_version, publish


@pytest.fixture
def url(postgres: Postgres) -> str:
    return postgres.new_database()


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    database = Database(url, connections=2)
    database.migrate()
    yield database
    database.close()


def shared(tmp_path: Path) -> dict[str, Any]:
    """What a second machine has to be told."""
    return {
        "artifacts": f"file://{tmp_path}/shared",
        "secret_file": tmp_path / "here" / "secret.key",
    }


@pytest.fixture
def here(tmp_path: Path, url: str) -> Iterator[Store]:
    with Store(tmp_path / "here", url, artifacts=str(tmp_path / "shared")) as store:
        yield store


@pytest.fixture
def elsewhere(tmp_path: Path, url: str, here: Store) -> Iterator[Store]:
    """A store of another machine: the same database, artifacts and secret, another folder."""
    with Store(tmp_path / "elsewhere", url, **shared(tmp_path)) as store:
        yield store


def wait_for(condition: object, seconds: float) -> float:
    """The seconds until a condition holds."""
    assert callable(condition)
    started = time.monotonic()
    while not condition():
        assert time.monotonic() - started < seconds
        time.sleep(0.01)
    return time.monotonic() - started


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_urls_of_all_kinds_are_understood(url: str, scheme: str) -> None:
    database = Database(url.replace("postgresql", scheme, 1))
    assert database.revision() is None
    database.close()


def test_a_missing_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreUnavailable, match=r"frtsvm-service\[scale\]"):
        Database("postgresql://db/frtsvm")


def test_an_unreachable_server_is_named_without_its_address(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable) as caught:
        Store(tmp_path / "home", f"postgresql://me:secret@/db?host={tmp_path}/nobody-here")
    assert caught.value.detail == "the database cannot be reached"
    assert caught.value.retry_after


def test_other_databases_and_nonsense_are_refused() -> None:
    for url in ("mysql://db/frtsvm", "secret-word"):
        with pytest.raises(StoreUnavailable) as caught:
            Database(url)
        assert "secret-word" not in caught.value.detail


def test_sessions_have_limits_and_the_url_can_change_them(url: str) -> None:
    questions = ("statement_timeout", "lock_timeout", "application_name")
    for suffix, expected in (
        ("", ["30s", "10s", "frtsvm"]),
        ("&options=-c%20lock_timeout%3D2s&application_name=mine", ["30s", "2s", "mine"]),
    ):
        database = Database(url + suffix)
        with database.read() as connection:
            found = [connection.execute(text(f"SHOW {name}")).scalar() for name in questions]
        database.close()
        assert found == expected


def test_a_lock_that_is_held_too_long_is_given_up(url: str, database: Database) -> None:
    impatient = Database(f"{url}&options=-c%20lock_timeout%3D100")
    with (
        database.exclusive(),
        pytest.raises(StoreUnavailable, match="55P03"),
        impatient.exclusive(),
    ):
        pass
    with impatient.exclusive():
        pass
    impatient.close()


def test_a_process_that_stops_inside_a_transaction_does_not_stop_the_others(
    url: str, database: Database
) -> None:
    stopped = Database(f"{url}&options=-c%20idle_in_transaction_session_timeout%3D200")

    def hold() -> None:
        with stopped.exclusive() as connection:
            with database.exclusive():  # waits until the server has ended the other session
                pass
            connection.execute(text("SELECT 1"))

    with pytest.raises(StoreUnavailable):
        hold()
    stopped.close()


def test_more_work_than_connections_waits_and_then_says_so(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database._engine.pool, "_timeout", 0.1)
    with (
        database.read(),
        database.read(),
        pytest.raises(StoreUnavailable, match="in use"),
        database.read(),
    ):
        pass
    with database.read():
        pass


def test_a_server_without_free_connections_is_unavailable(postgres: Postgres, url: str) -> None:
    name = url.split("/")[3].split("?")[0]
    postgres.run_sql(f"ALTER DATABASE {name} CONNECTION LIMIT 0")
    postgres.run_sql("CREATE ROLE guest LOGIN")
    try:
        database = Database(url.replace("postgres@", "guest@"))
        with pytest.raises(StoreUnavailable), database.read():
            pass
        database.close()
    finally:
        postgres.run_sql("DROP ROLE guest")


def test_a_reader_sees_one_moment_and_cannot_write(database: Database) -> None:
    count = text("SELECT count(*) FROM processes")
    with database.read() as reader:
        assert reader.execute(count).scalar() == 0
        with database.write() as writer:
            writer.execute(text("INSERT INTO processes VALUES ('p', 1)"))
        assert reader.execute(count).scalar() == 0
    with pytest.raises(StoreUnavailable, match="25006"), database.read() as reader:
        reader.execute(text("DELETE FROM processes"))


def test_names_are_ordered_by_their_bytes(database: Database) -> None:
    """Whatever language the server was set up for; the wheel has no other to try."""
    assert 'COLLATE "C"' in str(select(versions).order_by(database.by_bytes(versions.c.model)))


def test_a_claim_does_not_wait_for_another(here: Store) -> None:
    first, second = enqueue(here), enqueue(here)
    with here.database.write() as connection:
        connection.execute(select(jobs.c.id).where(jobs.c.id == first.id).with_for_update())
        assert claim(here).id == second.id
        assert here.jobs.claim("me") is None
    assert claim(here).id == first.id


def test_cancel_waits_for_whoever_changes_the_job(here: Store) -> None:
    """Else it would call a job cancelled that has just been claimed."""
    job = enqueue(here)
    cancelled: list[JobState] = []
    thread = threading.Thread(
        target=lambda: cancelled.append(here.jobs.request_cancel(job.id).state)
    )
    with here.database.write() as connection:
        connection.execute(
            jobs.update().where(jobs.c.id == job.id).values(state="running", fence=1)
        )
        thread.start()
        time.sleep(0.3)
        assert cancelled == []
    thread.join()
    assert cancelled == [JobState.RUNNING]
    assert here.jobs.get(job.id).cancel_requested


@pytest.mark.timed
def test_another_machine_sees_a_change_within_a_second(here: Store, elsewhere: Store) -> None:
    make_version(here)
    make_version(here, value=2.0)
    time.sleep(2 * LOOK_INTERVAL)
    before = elsewhere.generation.current()
    time.sleep(2 * LOOK_INTERVAL)
    assert elsewhere.generation.current() == before  # nothing changed, and nothing is asked
    here.registry.move_alias("m", "production", 1)
    # A busy test machine gets some more than what is promised.
    assert wait_for(lambda: elsewhere.generation.current() != before, 10) < 2.0
    record = elsewhere.registry.resolve("m")
    assert record.version == 1
    assert elsewhere.registry.load_predictor(record)["w"][0] == 1.0


def test_a_process_of_another_machine_is_known_by_its_beats(here: Store, elsewhere: Store) -> None:
    other = elsewhere.presence.id
    assert other in here.presence.known()
    assert here.presence.is_gone(other) is False
    assert here.presence.is_gone("never-seen") is True
    beat = text("SELECT beat FROM processes WHERE id = :id")

    def beats() -> int:
        with here.database.read() as connection:
            return int(connection.execute(beat, {"id": other}).scalar_one())

    first = beats()
    wait_for(lambda: beats() > first + 1, 20)


def test_a_process_that_does_not_beat_is_buried_and_can_come_back(here: Store) -> None:
    registry = here.presence.process_registry
    assert registry is not None
    registry.beat("other")
    clock = [0.0]
    here.presence.process_registry = ProcessRegistry(here.database, lease=3, clock=lambda: clock[0])
    for _ in range(6):
        here.clean_up_after_dead_processes()
        clock[0] += 1
    assert here.presence.known() == [here.presence.id]
    registry.beat("other")
    assert "other" in here.presence.known()


def test_a_machine_that_stops_is_gone_at_once(tmp_path: Path, url: str, here: Store) -> None:
    with Store(tmp_path / "elsewhere", url, **shared(tmp_path)) as elsewhere:
        other = elsewhere.presence.id
        assert here.presence.is_gone(other) is False
    assert here.presence.is_gone(other) is True


def test_a_store_survives_a_restart_of_the_server(tmp_path: Path) -> None:
    with Postgres() as own, Store(tmp_path / "home", own.new_database()) as store:
        enqueue(store)
        job = claim(store)
        make_version(store, "other")
        own.stop()
        with pytest.raises(StoreUnavailable):
            store.registry.resolve("other")
        with pytest.raises(StoreUnavailable):
            publish(store, job)
        own.start()
        assert store.registry.resolve("other").version == 1
        assert publish(store, job) == 1
        before = store.generation.current()
        store.registry.move_alias("other", "production", 1)
        assert store.generation.current() != before
