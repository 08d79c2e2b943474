"""Cache of measurements, one file per data set, so that an interrupted run can be continued.

The file name contains a digest of the code, the data and the settings. A change of any of them
causes a new measurement.
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
# The measured code and the measuring code.
CODE = ("frtsvm_core", "app/pipeline", "app/schemas", "benchmarks/search")

Measured = dict[str, Any]


def cached(
    table: str, name: str, settings: Any, measure: Callable[[], Measured], folder: Path = FOLDER
) -> Measured:
    """Return the result of `measure` (numbers and lists), from the cache if possible."""
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
