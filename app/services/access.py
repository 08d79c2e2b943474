"""API keys and their scopes."""

from __future__ import annotations

import hmac
from collections.abc import Sequence

from app.errors import NotAuthenticated, NotPermitted
from app.schemas.keys import KeyEntry, Scope, hash_key

#: The entry of every caller if no keys are configured.
ANYONE = KeyEntry(name="anyone", scopes=frozenset(Scope), sha256="")


class Access:
    """Compares API keys with the configured hashes."""

    def __init__(self, keys: Sequence[KeyEntry]) -> None:
        self._keys = tuple(keys)

    @property
    def is_open(self) -> bool:
        """Whether the service is used without keys."""
        return not self._keys

    def identify(self, key: bytes | None) -> KeyEntry:
        """Return the entry of a key, in a time that does not depend on which entry matches."""
        if self.is_open:
            return ANYONE
        if not key:
            raise NotAuthenticated(
                "An API key is required. Send it in the header `Authorization: Bearer <key>`."
            )
        given = hash_key(key).encode()
        found: KeyEntry | None = None
        for entry in self._keys:
            if hmac.compare_digest(given, entry.sha256.encode()):
                found = entry
        if found is None:
            raise NotAuthenticated(
                "The API key is unknown. Send a key whose entry is in FRTSVM_API_KEYS."
            )
        return found

    def require(self, key: bytes | None, scope: Scope) -> KeyEntry:
        """Return the entry of a key, or raise `NotPermitted` if it does not have the scope."""
        entry = self.identify(key)
        if scope not in entry.scopes:
            raise NotPermitted(
                f"The API key {entry.name!r} does not have the scope {scope.value!r}. "
                "Use a key that has it."
            )
        return entry
