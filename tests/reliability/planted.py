"""Fifteen deliberate faults that can be planted in the service, one at a time.

The variable `RELIABILITY_FAULT` selects the fault. Run as a program, this module behaves like
`frtsvm` with that fault; the drivers plant it too. `test_planted_faults` lists the row that must
find each fault.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fastapi import FastAPI

VARIABLE = "RELIABILITY_FAULT"
FAULTS: dict[str, Callable[[], None]] = {}
#: Seconds that a slow disk takes for a write, during which a crash can happen.
DELAY = 0.15


def fault(plant: Callable[[], None]) -> Callable[[], None]:
    """Register a fault under the name of its function."""
    FAULTS[plant.__name__] = plant
    return plant


_planted: set[str] = set()


def plant_from_environment() -> None:
    """Plant the fault that the environment selects, if any; only once per process."""
    name = os.environ.get(VARIABLE)
    if name and name not in _planted:
        _planted.add(name)
        FAULTS[name]()


def _put(where: Any, name: str, fault: Any) -> None:
    """Replace an attribute, which must exist, by a fault."""
    assert hasattr(where, name), f"{where!r} has no attribute {name!r}; update the planted fault."
    setattr(where, name, fault)


# --- the store ---------------------------------------------------------------------------------
@fault
def naive_write() -> None:
    """Acknowledge a version before its files are written, and write them in place."""
    from app.store.files import Files
    from app.store.folder import Folder
    from app.store.jobs import JobStore
    from app.store.storage import ARTIFACTS, artifact_name

    put, publish = Folder.put, JobStore.publish

    def put_nothing_yet(self: Folder, source: Path, name: str, sha256: str) -> None:
        if not name.startswith(ARTIFACTS):
            put(self, source, name, sha256)

    def publish_then_write(self: JobStore, *args: Any, **kwargs: Any) -> int | None:
        version = publish(self, *args, **kwargs)
        if version is not None:
            for staged in args[2:4]:
                target = self._files.storage.local(artifact_name(staged.sha256), "")
                contents = staged.path.read_bytes()
                with target.open("wb") as file:
                    for start in range(0, len(contents), 512):
                        file.write(contents[start : start + 512])
                        file.flush()
                        time.sleep(DELAY / (1 + len(contents) // 512))
        return version

    _put(Folder, "put", put_nothing_yet)
    _put(JobStore, "publish", publish_then_write)
    _put(Files, "artifact_looks_whole", lambda self, seal: True)


class _WithoutSync:
    """The module `os` without a working `fsync`."""

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    @staticmethod
    def fsync(descriptor: int) -> None:
        """Return without syncing."""


@fault
def no_sync_of_file() -> None:
    """Rename files without syncing their contents."""
    from app.store import files

    _put(files, "os", _WithoutSync())


@fault
def no_sync_of_folder() -> None:
    """Record files without syncing their folder."""
    from app.store import durable, folder, secret

    for module in (durable, folder, secret):
        _put(module, "make_durable", lambda path: None)


@fault
def no_checksum() -> None:
    """Load files without checking their digest."""
    from app.store import files
    from app.store.plain import load_plain

    def load_unverified(path: Path, sha256: str) -> dict[str, Any]:
        with path.open("rb") as file:
            return load_plain(file, os.fstat(file.fileno()).st_size)

    _put(files, "load_verified", load_unverified)


@fault
def no_hmac() -> None:
    """Accept files without checking their HMAC."""
    from app.store.files import Files

    _put(Files, "_require_mac", lambda self, seal, purpose: None)


@fault
def swallowed_no_space() -> None:
    """Ignore failed writes."""
    from app.store import plain

    write = plain.HashingFile.write

    def write_or_not(self: plain.HashingFile, data: Any) -> int:
        with contextlib.suppress(OSError):
            return write(self, data)
        return len(data)

    class Forgiving:
        """A file that ignores errors."""

        def __init__(self, file: Any) -> None:
            self._file = file

        def __getattr__(self, name: str) -> Any:
            return getattr(self._file, name)

        def write(self, data: Any) -> int:
            with contextlib.suppress(OSError):
                os.write(self._file.fileno(), data)
            return len(data)

        def flush(self) -> None:
            """Do nothing: writes are not buffered."""

    _put(plain.HashingFile, "write", write_or_not)
    dump = plain.dump_plain
    from app.store import files

    _put(files, "dump_plain", lambda state, file: dump(state, Forgiving(file)))  # type: ignore[arg-type]


# --- jobs --------------------------------------------------------------------------------------
@fault
def claim_without_lock() -> None:
    """Select the oldest job and claim it in a second transaction."""
    from sqlalchemy import select, update

    from app.schemas.jobs import JobState
    from app.store import jobs as module
    from app.store.database import now
    from app.store.schema import jobs

    def claim(self: module.JobStore, owner: str) -> module.JobRecord | None:
        oldest = select(jobs.c.id).where(jobs.c.state == JobState.QUEUED.value)
        with self._database.read() as connection:
            job = connection.execute(oldest.order_by(jobs.c.seq).limit(1)).scalar()
        if job is None:
            return None
        with self._database.write() as connection:
            values = {"state": "running", "fence": jobs.c.fence + 1, "owner": owner}
            connection.execute(
                update(jobs).where(jobs.c.id == job).values(started_at=now(), **values)
            )
            return module._get(connection, job)

    _put(module.JobStore, "claim", claim)


@fault
def publish_after_cancel() -> None:
    """Publish the version of a cancelled job."""
    from sqlalchemy import update

    from app.store import jobs as module
    from app.store.schema import jobs

    publish = module.JobStore.publish

    def publish_anyway(self: module.JobStore, *args: Any, **kwargs: Any) -> int | None:
        with self._database.write() as connection:
            connection.execute(
                update(jobs).where(jobs.c.id == args[0]).values(cancel_requested=False)
            )
        return publish(self, *args, **kwargs)

    _put(module.JobStore, "publish", publish_anyway)


@fault
def lease_by_wall_clock() -> None:
    """Measure leases with the system clock instead of the heartbeat counter."""
    from app.store import stall_detector

    def seconds_stalled(self: stall_detector.StallDetector, key: Any, beat: int) -> float:
        _, renewed, _ = self._seen.get(key, (beat, time.time(), 0.0))
        self._seen[key] = (beat, time.time(), 0.0)
        return time.time() - renewed

    _put(stall_detector.StallDetector, "seconds_stalled", seconds_stalled)


# --- requests ----------------------------------------------------------------------------------
@fault
def key_compared_by_equals() -> None:
    """Compare keys with `==`, which stops at the first different byte."""
    from app.services import access

    class Equals:
        @staticmethod
        def compare_digest(a: bytes, b: bytes) -> bool:
            return a == b

    _put(access, "hmac", Equals)


@fault
def input_echoed() -> None:
    """Repeat the input of invalid requests in the response."""
    import json

    from starlette.responses import Response

    from app.api import bodies, handlers, predict, raw
    from app.errors import InvalidRequest, ServiceError
    from app.schemas import validation

    validate, respond_to = validation.validate, handlers.respond_to

    def remember(kind: Any, value: Any) -> Any:
        try:
            return validate(kind, value)
        except InvalidRequest as error:
            error.given = value  # type: ignore[attr-defined]
            raise

    def echo(error: ServiceError) -> Response:
        if not hasattr(error, "given"):
            return respond_to(error)
        found = {"detail": error.detail, "input": error.given}
        return Response(json.dumps(found, allow_nan=False, default=str), 422)

    for module in (validation, bodies, predict):
        _put(module, "validate", remember)
    for other in (handlers, raw):
        _put(other, "respond_to", echo)


@fault
def lenient_numbers() -> None:
    """Accept text and booleans as numbers."""
    from app.schemas import cells

    cells._NUMBER |= {str, bool}


@fault
def name_check_missing() -> None:
    """Accept any model name in one kind of route."""
    from typing import Annotated

    from fastapi import Path as PathParameter

    from app.api import deps

    _put(deps, "ModelName", Annotated[str, PathParameter(alias="name")])


@fault
def no_body_limit() -> None:
    """Read bodies of any size."""
    from app.api import body_limit

    _put(body_limit.BodyLimit, "admit", lambda self, total, more: None)
    _put(body_limit, "_declared_length", lambda scope: 0)


@fault
def no_deadline() -> None:
    """Keep slow connections open forever."""
    from app.api import deadline

    _put(deadline.DeadlineProtocol, "set_deadline", lambda self, seconds: None)


@contextlib.contextmanager
def planted(name: str) -> Iterator[None]:
    """Start processes in this context with the fault."""
    assert name in FAULTS, name
    os.environ[VARIABLE] = name
    try:
        yield
    finally:
        del os.environ[VARIABLE]


def from_environment() -> FastAPI:
    """Create the application with the planted fault."""
    plant_from_environment()
    from app.main import from_environment as usual

    return usual()


if __name__ == "__main__":
    plant_from_environment()

    from app.api import server
    from app.cli import main

    server.FACTORY = "tests.reliability.planted:from_environment"
    sys.exit(main(sys.argv[1:]))
