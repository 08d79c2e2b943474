"""Who may do what."""

from __future__ import annotations

import hmac
from collections.abc import Sequence

from app.errors import NotAuthenticated, NotPermitted
from app.schemas.keys import KeyEntry, Scope, hash_key

#: The caller when no keys are configured.
ANYONE = KeyEntry(name="anyone", scopes=frozenset(Scope), sha256="")


class Access:
    """Compares keys with the configured hashes."""

    def __init__(self, keys: Sequence[KeyEntry]) -> None:
        self._keys = tuple(keys)

    @property
    def is_open(self) -> bool:
        """Whether no key is asked for."""
        return not self._keys

    def identify(self, key: bytes | None) -> KeyEntry:
        """The entry of a key. Takes the same time whichever entry it is, or none."""
        if self.is_open:
            return ANYONE
        if not key:
            raise NotAuthenticated("an API key is needed: Authorization: Bearer <key>")
        given = hash_key(key).encode()
        found: KeyEntry | None = None
        for entry in self._keys:
            if hmac.compare_digest(given, entry.sha256.encode()):
                found = entry
        if found is None:
            raise NotAuthenticated("the API key is not known")
        return found

    def require(self, key: bytes | None, scope: Scope) -> KeyEntry:
        """The entry of a key that has the scope."""
        entry = self.identify(key)
        if scope not in entry.scopes:
            raise NotPermitted(
                f"the API key {entry.name!r} does not have the scope {scope.value!r}"
            )
        return entry
