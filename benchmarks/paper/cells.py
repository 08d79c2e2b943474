"""Cells: the units of an experiment, frozen dataclasses that compute one result each.

The digest of a cell identifies a result: it covers the fields of the cell, the constants, code and
data that the result depends on, and the version of scikit-learn. The key covers the fields only, so
it finds the result of the same cell that other code computed.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, fields
from functools import cache
from typing import Any

import sklearn

from benchmarks.paper import artificial, datasets
from benchmarks.paper.methods.rows import Rows
from benchmarks.paper.sources import code_digest

Result = dict[str, Any]


@dataclass(frozen=True)
class Cell(ABC):
    @abstractmethod
    def compute(self) -> Result:
        """Compute the result: a dictionary of numbers, strings, lists and dictionaries."""

    @property
    def data(self) -> tuple[str, ...]:
        """Names of the data sets that the cell reads; their contents are part of the digest."""
        return ()

    @property
    def settings(self) -> dict[str, Any]:
        """Constants that the result depends on and that are not fields; part of the digest."""
        return {}

    def key(self) -> str:
        """Identify the cell independently of code and data."""
        return " ".join(str(getattr(self, one.name)) for one in fields(self))

    def digest(self) -> str:
        identity = {
            "scikit-learn": sklearn.__version__,
            "code": code_digest(type(self).__module__),
            "cell": type(self).__name__,
            "fields": asdict(self),
            "settings": self.settings,
            "data": [data_digest(name) for name in self.data],
        }
        return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:16]


@cache
def data_digest(name: str) -> str:
    parts = artificial.ripley() if name == "ripley" else (datasets.load(name),)
    digest = hashlib.sha256()
    for rows in parts:
        digest.update(rows.x.tobytes())
        digest.update(rows.y.tobytes())
    return digest.hexdigest()


def pool(name: str) -> Rows:
    """All rows of a data set."""
    if name != "ripley":
        return datasets.load(name)
    return artificial.pooled(*artificial.ripley())
