"""Cells of an experiment: frozen dataclasses that compute one result each.

The digest of a cell is that of its fields, of the constants, the code and the data that its result
depends on, and of scikit-learn's version. Its key is that of the fields alone.
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
        """The result, as numbers, strings, lists and dictionaries."""

    @property
    def data(self) -> tuple[str, ...]:
        """The data sets it reads, whose contents belong to its identity."""
        return ()

    @property
    def settings(self) -> dict[str, Any]:
        """Constants of the code that its result depends on, where they are not fields."""
        return {}

    def key(self) -> str:
        """What is asked, whatever the code that answers."""
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
    """All rows of a set."""
    if name != "ripley":
        return datasets.load(name)
    return artificial.pooled(*artificial.ripley())
