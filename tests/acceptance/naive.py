"""A server whose store is wrong on purpose: it acknowledges first and writes afterwards, in place.

The crash test must find that out; a test that cannot fail proves nothing. Run as a program it
behaves like `frtsvm`.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from app.api import server
from app.store.files import Files
from app.store.folder import Folder
from app.store.jobs import JobStore
from app.store.storage import ARTIFACTS, artifact_name

#: What a slow disk may take; the window in which a crash hits.
DELAY = 0.15

_publish = JobStore.publish
_put = Folder.put


def put_nothing_yet(self: Folder, source: Path, name: str, sha256: str) -> None:
    """Pretend that the file is there."""
    if not name.startswith(ARTIFACTS):
        _put(self, source, name, sha256)


def publish_then_write(self: JobStore, *args: Any, **kwargs: Any) -> int | None:
    """Record the version, then write its files, piece by piece under their final names."""
    version = _publish(self, *args, **kwargs)
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


def from_environment() -> FastAPI:
    """The application with the naive store."""
    from app.main import from_environment as usual

    setattr(Folder, "put", put_nothing_yet)  # noqa: B010
    setattr(JobStore, "publish", publish_then_write)  # noqa: B010
    Files.artifact_looks_whole = lambda self, seal: True  # type: ignore[method-assign]
    return usual()


if __name__ == "__main__":
    from app.cli import main

    server.FACTORY = "tests.acceptance.naive:from_environment"
    sys.exit(main(sys.argv[1:]))
