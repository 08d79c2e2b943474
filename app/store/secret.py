"""The secret of a store: the key of the MACs by which a server verifies its own files."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
from pathlib import Path

from app.errors import StoreUnavailable
from app.store.durable import make_durable

_LENGTH = 32


def load_or_create_secret(path: Path) -> bytes:
    """Read the secret; create it first if the file does not exist."""
    if not path.exists():
        write_secret(path, secrets.token_bytes(_LENGTH))
    return read_secret(path)


def secret_of(home: Path, secret_file: Path | None) -> bytes:
    """Read the secret from `secret_file`, by default from `secret.key` in the home folder."""
    return read_secret(secret_file) if secret_file else load_or_create_secret(home / "secret.key")


def write_secret(path: Path, secret: bytes) -> None:
    """Write a secret with mode 0600, unless the file exists already."""
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(8)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secret)
            file.flush()
            os.fsync(file.fileno())
        # A link, not a rename: it fails if another process was faster, whose secret is then used.
        with contextlib.suppress(FileExistsError):
            os.link(temporary, path)
    finally:
        temporary.unlink()
    # If a power failure lost the secret, no version could be verified any more.
    make_durable(path.parent)


def read_secret(path: Path) -> bytes:
    """Read a secret from a file: 32 bytes, or 64 hexadecimal digits."""
    try:
        contents = path.read_bytes()
    except FileNotFoundError as error:
        raise StoreUnavailable(
            f"There is no secret at {path}. For a new store, write 32 random bytes to this file; "
            "for an existing store, copy its secret.key."
        ) from error
    if len(contents) == _LENGTH:
        return contents
    try:
        secret = bytes.fromhex(contents.decode("ascii").strip())
    except ValueError:
        secret = b""
    if len(secret) != _LENGTH:
        raise StoreUnavailable(
            f"The secret at {path} must have {_LENGTH} bytes or {2 * _LENGTH} hexadecimal digits. "
            "Restore the file from a backup."
        )
    return secret


class Sealer:
    """Computes and checks MACs (HMAC-SHA256) of digests.

    A MAC cannot be forged by someone who can write to the store but cannot read the secret.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def mac(self, purpose: str, sha256: str) -> str:
        """Return the MAC of a digest for a purpose."""
        message = f"frtsvm/1/{purpose}/{sha256}".encode("ascii")
        return hmac.new(self._secret, message, hashlib.sha256).hexdigest()

    def key_check_value(self) -> str:
        """Return a value by which servers compare their secrets without revealing them."""
        return hmac.new(self._secret, b"frtsvm/1/which-secret", hashlib.sha256).hexdigest()

    def matches(self, purpose: str, sha256: str, mac: str) -> bool:
        """Whether `mac` is the MAC of this digest for this purpose."""
        return hmac.compare_digest(self.mac(purpose, sha256).encode(), mac.encode())
