"""PostgreSQL: several machines on one database."""

from __future__ import annotations

from typing import Any

from sqlalchemy import create_engine
from sqlalchemy.engine import URL, Engine
from sqlalchemy.exc import DBAPIError

from app.errors import StoreUnavailable

DRIVER = "postgresql+psycopg"
#: Limits of one session, in milliseconds. A process that is stopped, or a machine that vanishes, in
#: the middle of a transaction holds up the others no longer than the last one.
SESSION_LIMITS = {
    "statement_timeout": 30_000,
    "lock_timeout": 10_000,
    "idle_in_transaction_session_timeout": 30_000,
}
#: Seconds to reach the server, and to get one of this process's connections.
CONNECT_TIMEOUT = 5
POOL_TIMEOUT = 10.0
#: Connections that are kept when nobody needs them.
KEPT = 5
#: The lock that processes take before they look at the schema; any number that is only ours.
MIGRATION_LOCK = 0x66727473766D
#: What the server says when it, not the request, is the reason: by the first two characters of the
#: code, connections, wrong transaction states (a standby), rollbacks, resources, locks, shutdown,
#: its own faults, and by the whole code missing rights.
UNAVAILABLE = ("08", "25", "40", "53", "55", "57", "58", "XX", "42501")
DISK_FULL = "53100"


def postgres_engine(url: URL, connections: int) -> Engine:
    """A pool of at most so many connections, each tried before it is used."""
    try:
        return create_engine(
            url.set(drivername=DRIVER),
            connect_args=_connect_arguments(url),
            pool_size=min(KEPT, connections),
            max_overflow=max(0, connections - KEPT),
            pool_timeout=POOL_TIMEOUT,
            pool_pre_ping=True,
            pool_use_lifo=True,
        )
    except ModuleNotFoundError as error:
        raise StoreUnavailable(
            "PostgreSQL needs the extra `scale`: pip install 'frtsvm-service[scale]'"
        ) from error


def code_of(error: DBAPIError) -> str:
    """The five characters by which the server names an error; empty if it never answered."""
    return getattr(error.orig, "sqlstate", None) or ""


def _connect_arguments(url: URL) -> dict[str, Any]:
    """Ours, unless the URL says otherwise."""
    limits = " ".join(f"-c {name}={value}" for name, value in SESSION_LIMITS.items())
    ours: dict[str, Any] = {
        "connect_timeout": CONNECT_TIMEOUT,
        "application_name": "frtsvm",
        # Seconds, and milliseconds, after which a server that vanished is noticed.
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 15_000,
    }
    arguments = {name: value for name, value in ours.items() if name not in url.query}
    theirs = url.query.get("options", "")
    arguments["options"] = f"{limits} {theirs if isinstance(theirs, str) else ' '.join(theirs)}"
    return arguments
