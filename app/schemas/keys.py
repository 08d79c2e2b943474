"""API keys as they are configured: a name, scopes and a hash, never the key itself."""

from __future__ import annotations

import hashlib
import re
from enum import StrEnum
from typing import Self

from pydantic import BaseModel, ConfigDict


class Scope(StrEnum):
    """What a key allows. `admin` includes the others, `train` includes `predict`, which includes
    `metrics`."""

    METRICS = "metrics"
    PREDICT = "predict"
    TRAIN = "train"
    ADMIN = "admin"


#: Scope -> all scopes that it grants.
GRANTS: dict[Scope, frozenset[Scope]] = {
    Scope.METRICS: frozenset({Scope.METRICS}),
    Scope.PREDICT: frozenset({Scope.METRICS, Scope.PREDICT}),
    Scope.TRAIN: frozenset({Scope.METRICS, Scope.PREDICT, Scope.TRAIN}),
    Scope.ADMIN: frozenset(Scope),
}

_ENTRY = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]{0,63}):([a-z+]+):([0-9a-f]{64})")


def hash_key(key: bytes) -> str:
    """The hash under which a key is configured.

    Keys are 256 random bits made by `frtsvm keys`, so one round of SHA-256 is enough: there is no
    dictionary to try.
    """
    return hashlib.sha256(key).hexdigest()


class KeyEntry(BaseModel):
    """One configured key."""

    model_config = ConfigDict(frozen=True)

    name: str
    scopes: frozenset[Scope]
    sha256: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """`name:scope+scope:sha256` as written in the environment."""
        match = _ENTRY.fullmatch(text)
        if match is None:
            raise ValueError("an API key entry reads name:scope+scope:sha256, see `frtsvm keys`")
        name, scopes, digest = match.groups()
        granted = [GRANTS[Scope(scope)] for scope in scopes.split("+")]
        return cls(name=name, scopes=frozenset().union(*granted), sha256=digest)
