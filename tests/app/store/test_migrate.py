"""Migrations: of empty databases, of old ones, and refusal of newer ones."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from app.cli import main
from app.errors import StoreUnavailable
from app.store.database import Database
from app.store.migrate import HEAD, known_revisions
from app.store.store import Store

OLD_SCHEMA = Path(__file__).with_name("schema_1.sql")


@pytest.fixture
def old_home(tmp_path: Path) -> Path:
    """A home folder of the first version: two models, a moved alias and a queued job."""
    home = tmp_path / "old"
    home.mkdir()
    with closing(sqlite3.connect(home / "frtsvm.sqlite3")) as connection:
        connection.executescript(OLD_SCHEMA.read_text(encoding="utf-8"))
    return home


def url_of(home: Path) -> str:
    return f"sqlite:///{home}/frtsvm.sqlite3"


def test_head_is_the_newest_revision() -> None:
    assert known_revisions()[-1] == HEAD


def test_the_migrations_create_the_declared_schema(database_url: str) -> None:
    database = Database(database_url)
    assert database.revision() is None
    assert database.migrate()
    assert database.revision() == HEAD
    assert database.schema_differences() == []
    assert not database.migrate()
    with database.write() as connection:
        connection.execute(text("ALTER TABLE jobs ADD COLUMN stray INTEGER"))
    assert "stray" in str(database.schema_differences())
    database.close()


def test_a_store_from_before_migrations_is_migrated_without_loss(old_home: Path) -> None:
    before = (old_home / "frtsvm.sqlite3").read_bytes()
    with Store(old_home, url_of(old_home)) as store:
        assert store.database.revision() == HEAD
        assert store.database.schema_differences() == []
        models, total = store.registry.page_of_models(10, 0)
        assert [(m.name, m.latest, m.n_versions) for m in models] == [
            ("alpha", 2, 2),
            ("beta", 1, 1),
        ]
        assert total == 2
        assert store.registry.resolve("alpha").version == 2
        assert store.registry.roll_back_alias("alpha", "production") == (1, 2)
        jobs, total = store.jobs.page(None, 10, 0)
        assert [job.state.value for job in jobs] == ["queued", *["succeeded"] * 4]
        # Version numbers are not reused.
        with store.database.read() as connection:
            last = connection.execute(
                text("SELECT last_version FROM models WHERE name = 'alpha'")
            ).scalar()
        assert last == 3
    copy = old_home / f"frtsvm.sqlite3.before-{HEAD}"
    assert copy.stat().st_mode & 0o777 == 0o600
    with (
        closing(sqlite3.connect(copy)) as kept,
        closing(sqlite3.connect(":memory:")) as old,
    ):
        old.deserialize(before)
        assert list(kept.iterdump()) == list(old.iterdump())


def test_a_failed_migration_changes_nothing(
    old_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(old_home / "frtsvm.sqlite3")) as connection:
        connection.execute("CREATE TABLE uploads (in_the_way INTEGER)")
        before = list(connection.iterdump())
    with pytest.raises(StoreUnavailable, match="already exists"):
        Store(old_home, url_of(old_home))
    with closing(sqlite3.connect(old_home / "frtsvm.sqlite3")) as connection:
        assert list(connection.iterdump()) == before
    assert list((old_home / "processes").iterdir()) == []


def test_a_database_of_a_newer_program_is_refused(tmp_path: Path, database_url: str) -> None:
    with Store(tmp_path / "home", database_url) as store, store.database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreUnavailable, match="newer version"):
        Store(tmp_path / "home", database_url)


def test_an_unknown_schema_is_refused(old_home: Path) -> None:
    with closing(sqlite3.connect(old_home / "frtsvm.sqlite3")) as connection:
        connection.execute("UPDATE gate SET schema_version = 7")
        connection.commit()
    with pytest.raises(StoreUnavailable, match="schema 7"):
        Store(old_home, url_of(old_home))


def test_processes_that_start_together_migrate_once(tmp_path: Path, database_url: str) -> None:
    script = (
        "import sys; from app.store.database import Database; "
        "print(Database(sys.argv[1]).migrate())"
    )
    starting = [
        subprocess.Popen(
            [sys.executable, "-c", script, database_url], stdout=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    outputs = [process.communicate(timeout=60)[0].strip() for process in starting]
    assert [process.returncode for process in starting] == [0] * 4
    assert sorted(outputs) == ["False"] * 3 + ["True"]


def test_the_command_line(
    old_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FRTSVM_HOME", str(old_home))
    monkeypatch.delenv("FRTSVM_DATABASE_URL", raising=False)

    def run(action: str) -> tuple[int, str]:
        return main(["db", action]), capsys.readouterr().out.strip()

    assert run("current") == (0, "0001")
    code, words = run("check")
    assert code == 1
    assert words.startswith(
        f"The database has schema 0001, but this program needs schema {HEAD}. Run `frtsvm db "
    )
    assert run("upgrade") == (0, f"The database was upgraded to schema {HEAD}.")
    assert run("upgrade") == (0, f"The database already has schema {HEAD}.")
    assert run("check") == (0, f"The database has schema {HEAD}, without differences.")
    monkeypatch.setenv("FRTSVM_HOME", str(old_home / "nowhere"))
    assert main(["db", "check"]) == 1
    assert "There is no database at" in capsys.readouterr().err
