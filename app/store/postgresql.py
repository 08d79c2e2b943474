"""PostgreSQL engine, for services on several machines that share one database."""

from __future__ import annotations

from typing import Any

from sqlalchemy import create_engine
from sqlalchemy.engine import URL, Engine
from sqlalchemy.exc import DBAPIError

from app.errors import StoreUnavailable

DRIVER = "postgresql+psycopg"
#: Timeouts of one session, in milliseconds. If a process is stopped or a machine disappears in the
#: middle of a transaction, it blocks the other processes for at most
#: `idle_in_transaction_session_timeout`.
SESSION_LIMITS = {
    "statement_timeout": 30_000,
    "lock_timeout": 10_000,
    "idle_in_transaction_session_timeout": 30_000,
}
#: Seconds to connect to the server, and to wait for a free connection of the pool.
CONNECT_TIMEOUT = 5
POOL_TIMEOUT = 10.0
#: Idle connections that the pool keeps open.
IDLE_CONNECTIONS = 5
#: Key of the advisory lock held during a migration; an arbitrary number that only this service
#: uses.
MIGRATION_LOCK = 0x66727473766D
#: SQLSTATE classes (first two characters) and codes that mean "server unavailable", not "bad
#: request": connections (08), wrong transaction states such as a standby (25), rollbacks (40),
#: resources (53), locks (55), shutdown (57), system errors (58), internal errors (XX), and missing
#: privileges (42501).
UNAVAILABLE_CODES = ("08", "25", "40", "53", "55", "57", "58", "XX", "42501")
DISK_FULL_CODE = "53100"


def postgres_engine(url: URL, connections: int) -> Engine:
    """Create an engine with at most `connections` connections, each tested before use."""
    try:
        return create_engine(
            url.set(drivername=DRIVER),
            connect_args=_connect_arguments(url),
            pool_size=min(IDLE_CONNECTIONS, connections),
            max_overflow=max(0, connections - IDLE_CONNECTIONS),
            pool_timeout=POOL_TIMEOUT,
            pool_pre_ping=True,
            pool_use_lifo=True,
        )
    except ModuleNotFoundError as error:
        raise StoreUnavailable(
            "PostgreSQL needs the extra `scale`. Install it: pip install 'frtsvm-service[scale]'."
        ) from error


def code_of(error: DBAPIError) -> str:
    """Return the SQLSTATE of an error; empty if the server never responded."""
    return getattr(error.orig, "sqlstate", None) or ""


def _connect_arguments(url: URL) -> dict[str, Any]:
    """Return the default arguments, except those that the URL sets itself."""
    limits = " ".join(f"-c {name}={value}" for name, value in SESSION_LIMITS.items())
    defaults: dict[str, Any] = {
        "connect_timeout": CONNECT_TIMEOUT,
        "application_name": "frtsvm",
        # Detect a server that disappeared: keepalives in seconds, tcp_user_timeout in milliseconds.
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 15_000,
    }
    arguments = {name: value for name, value in defaults.items() if name not in url.query}
    from_url = url.query.get("options", "")
    arguments["options"] = (
        f"{limits} {from_url if isinstance(from_url, str) else ' '.join(from_url)}"
    )
    return arguments
