"""API keys as configured: a name, scopes and the hash of the key, never the key itself."""

from __future__ import annotations

import hashlib
import re
from enum import StrEnum
from typing import Self

from pydantic import BaseModel, ConfigDict


class Scope(StrEnum):
    """Permission of a key. Each scope includes the ones before it."""

    METRICS = "metrics"
    PREDICT = "predict"
    TRAIN = "train"
    ADMIN = "admin"


#: Scope -> all scopes that it includes.
GRANTS: dict[Scope, frozenset[Scope]] = {
    Scope.METRICS: frozenset({Scope.METRICS}),
    Scope.PREDICT: frozenset({Scope.METRICS, Scope.PREDICT}),
    Scope.TRAIN: frozenset({Scope.METRICS, Scope.PREDICT, Scope.TRAIN}),
    Scope.ADMIN: frozenset(Scope),
}

_ENTRY = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]{0,63}):([a-z+]+):([0-9a-f]{64})")


def hash_key(key: bytes) -> str:
    """Return the SHA-256 digest of a key in hexadecimal, as configured in FRTSVM_API_KEYS.

    Keys are 256 random bits created by `frtsvm keys new`, so a dictionary attack is impossible and
    one round of SHA-256 is enough.
    """
    return hashlib.sha256(key).hexdigest()


class KeyEntry(BaseModel):
    """A configured API key."""

    model_config = ConfigDict(frozen=True)

    name: str
    scopes: frozenset[Scope]
    sha256: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse an entry `name:scope+scope:sha256`."""
        match = _ENTRY.fullmatch(text)
        if match is None:
            raise ValueError(
                "An API key entry must have the form name:scope+scope:sha256. "
                "Create one with `frtsvm keys new`."
            )
        name, scopes, digest = match.groups()
        unknown = set(scopes.split("+")) - set(Scope)
        if unknown:
            raise ValueError(
                f"The API key {name!r} has the unknown scope {min(unknown)!r}. "
                f"The scopes are {', '.join(Scope)}."
            )
        granted = [GRANTS[Scope(scope)] for scope in scopes.split("+")]
        return cls(name=name, scopes=frozenset().union(*granted), sha256=digest)
