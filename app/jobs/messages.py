"""Messages between a training process and its supervisor, as JSON: unpickling could run code."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from app.store.files import Staged

#: The only message from supervisor to process: stop the search and keep the best model so far.
STOP = "stop"


@dataclass(frozen=True)
class Task:
    """Arguments of a training process."""

    job: str
    spool: str
    sha256: str
    options: dict[str, Any]
    temporary: str
    """Folder for its output files."""
    process: str
    """Prefix of the names of its output files, by which the supervisor removes them."""
    memory: int
    """Limit of its memory in bytes, not counting the loaded libraries."""
    scheduler: str | None = None
    """Address of the Dask scheduler for the folds of a search; None: all folds run locally."""

    def encode(self) -> str:
        """Return the task as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def decode(cls, text: str) -> Task:
        """Restore a task from JSON."""
        return cls(**json.loads(text))


def send(pipe: Connection, kind: str, **content: Any) -> None:
    """Send one message."""
    pipe.send_bytes(json.dumps({"kind": kind, **content}).encode())


def receive(pipe: Connection) -> dict[str, Any]:
    """Receive one message."""
    message: dict[str, Any] = json.loads(pipe.recv_bytes())
    return message


def staged_to_json(staged: Staged) -> dict[str, Any]:
    """Convert a staged file to a JSON value."""
    return {"path": str(staged.path), "sha256": staged.sha256, "size": staged.size}


def staged_from_json(value: dict[str, Any]) -> Staged:
    """Restore a staged file from its JSON value."""
    return Staged(Path(value["path"]), value["sha256"], value["size"])
