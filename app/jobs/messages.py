"""What passes between a training process and its supervisor: JSON, never pickles."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from app.store.files import Staged

#: The one thing that a supervisor says: keep the best so far, and come to an end.
STOP = "stop"


@dataclass(frozen=True)
class Task:
    """Everything a training process needs to know."""

    job: str
    spool: str
    sha256: str
    options: dict[str, Any]
    temporary: str
    """Folder for what it writes."""
    process: str
    """Prefix of the names of what it writes; its supervisor removes them if it dies."""
    memory: int
    """Bytes it may use."""
    scheduler: str | None = None
    """The cluster over which it may spread a search."""

    def encode(self) -> str:
        """As the argument of the process."""
        return json.dumps(asdict(self))

    @classmethod
    def decode(cls, text: str) -> Task:
        """What `encode` was given."""
        return cls(**json.loads(text))


def send(pipe: Connection, kind: str, **content: Any) -> None:
    """Send one message."""
    pipe.send_bytes(json.dumps({"kind": kind, **content}).encode())


def receive(pipe: Connection) -> dict[str, Any]:
    """Receive one message."""
    message: dict[str, Any] = json.loads(pipe.recv_bytes())
    return message


def staged_to_json(staged: Staged) -> dict[str, Any]:
    """A staged file as JSON."""
    return {"path": str(staged.path), "sha256": staged.sha256, "size": staged.size}


def staged_from_json(value: dict[str, Any]) -> Staged:
    """What `staged_to_json` was given."""
    return Staged(Path(value["path"]), value["sha256"], value["size"])
