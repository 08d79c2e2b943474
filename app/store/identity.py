"""Database, files and secret belong together; a store whose parts do not is refused.

A database that finds the files of another one would sweep them all away. A secret that is not the
one the files were sealed with would make every version look damaged.
"""

from __future__ import annotations

import secrets

from sqlalchemy import select, update

from app.errors import StoreUnavailable
from app.store.database import Database
from app.store.schema import gate
from app.store.secret import Sealer
from app.store.storage import ARTIFACTS, MARKER, SPOOL, Storage


def require_one_store(database: Database, storage: Storage, sealer: Sealer) -> None:
    """Compare the marks of the three; the first start sets them."""
    question = select(gate.c.store_id, gate.c.secret_mark)
    with database.read() as connection:
        store_id, secret_mark = connection.execute(question).one()
    if store_id is None or secret_mark is None:
        store_id, secret_mark = _introduce(database, storage, sealer)
    if secret_mark != sealer.mark():
        raise StoreUnavailable(
            "the secret is not the one that this store was made with: "
            "use its secret.key, or name a common one in FRTSVM_SECRET_FILE"
        )
    found = storage.read_marker()
    if found != store_id:
        raise StoreUnavailable(
            f"the artifacts belong to store {found or '(none)'}, the database to {store_id}: "
            f"all servers of a database need the same FRTSVM_ARTIFACTS (file {MARKER} there)"
        )


def _introduce(database: Database, storage: Storage, sealer: Sealer) -> tuple[str, str]:
    """Give database and storage a common mark, unless another process was first."""
    question = select(gate.c.store_id, gate.c.secret_mark)
    with database.exclusive() as connection:
        store_id, secret_mark = connection.execute(question).one()
        if store_id is not None and secret_mark is not None:
            return store_id, secret_mark
        found = storage.read_marker()
        if found is not None and (storage.names(ARTIFACTS) or storage.names(SPOOL)):
            raise StoreUnavailable(
                f"the artifacts belong to store {found}, and this database is new: "
                "restore its database, or choose an empty place for the artifacts"
            )
        if found is None:
            found = secrets.token_hex(16)
            storage.write_marker(found)
        connection.execute(update(gate).values(store_id=found, secret_mark=sealer.mark()))
        return found, sealer.mark()
