"""Measurements of single sets, kept in files: a long run that was interrupted goes on where it was.

A file's name has a digest of the code, of the data and of what else the measurement depends on, so what
was measured with other code is measured again.
"""

import hashlib
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.search.datasets import files_of

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".cache" / "search"
# The code whose results are measured, and that measures.
CODE = ("frtsvm_core", "app/pipeline", "app/schemas", "benchmarks/search")

Measured = dict[str, Any]


def kept(
    table: str, name: str, settings: Any, measure: Callable[[], Measured], folder: Path = FOLDER
) -> Measured:
    """What `measure` gave for a set, from its file if there is one; plain numbers and lists."""
    identity = json.dumps([code_digest(), data_digest(name), settings], sort_keys=True)
    digest = hashlib.sha256(identity.encode()).hexdigest()[:16]
    path = folder / table / f"{name}-{digest}.json"
    if path.is_file():
        found: Measured = json.loads(path.read_text())
        return found
    measured = measure()
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(measured))
    partial.replace(path)
    return measured


@cache
def code_digest() -> str:
    return _digest(sorted(path for part in CODE for path in (ROOT / part).rglob("*.py")))


@cache
def data_digest(name: str) -> str:
    return _digest(files_of(name))


def _digest(paths: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
