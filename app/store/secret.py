"""The server's secret, with which it recognises its own files."""

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
    """Read the secret; the first process to come makes it, readable by its user alone."""
    if not path.exists():
        write_secret(path, secrets.token_bytes(_LENGTH))
    return read_secret(path)


def secret_of(home: Path, secret_file: Path | None) -> bytes:
    """The secret of a store: in the file that was named, else in its home folder."""
    return read_secret(secret_file) if secret_file else load_or_create_secret(home / "secret.key")


def write_secret(path: Path, secret: bytes) -> None:
    """Write a secret, readable by its user alone, unless there is one already."""
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(8)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secret)
            file.flush()
            os.fsync(file.fileno())
        # A link, not a rename: it fails if another process was first, and the first one counts.
        with contextlib.suppress(FileExistsError):
            os.link(temporary, path)
    finally:
        temporary.unlink()
    # Lost in a power cut, it would make every version look like a stranger's.
    make_durable(path.parent)


def read_secret(path: Path) -> bytes:
    """A secret from a file: 32 bytes, or as many in hexadecimal digits."""
    try:
        contents = path.read_bytes()
    except FileNotFoundError as error:
        raise StoreUnavailable(f"there is no secret at {path}") from error
    if len(contents) == _LENGTH:
        return contents
    try:
        secret = bytes.fromhex(contents.decode("ascii").strip())
    except ValueError:
        secret = b""
    if len(secret) != _LENGTH:
        raise StoreUnavailable(
            f"{path.name} is not a secret of {_LENGTH} bytes or {2 * _LENGTH} hexadecimal digits"
        )
    return secret


class Sealer:
    """Marks digests as ours. Who can write the store but not read the secret cannot."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def mac(self, purpose: str, sha256: str) -> str:
        """The mark of one digest for one purpose."""
        message = f"frtsvm/1/{purpose}/{sha256}".encode("ascii")
        return hmac.new(self._secret, message, hashlib.sha256).hexdigest()

    def mark(self) -> str:
        """By which two servers see that they have the same secret, without telling it."""
        return hmac.new(self._secret, b"frtsvm/1/which-secret", hashlib.sha256).hexdigest()

    def matches(self, purpose: str, sha256: str, mac: str) -> bool:
        """Whether we made that mark."""
        return hmac.compare_digest(self.mac(purpose, sha256).encode(), mac.encode())
