"""Check that database, files and secret belong to the same store.

If the files belonged to another store, garbage collection would delete all of them, because this
database refers to none. With another secret, every version would look damaged.
"""

from __future__ import annotations

import secrets

from sqlalchemy import select, update

from app.errors import StoreUnavailable
from app.store.database import Database
from app.store.schema import gate
from app.store.secret import Sealer
from app.store.storage import ARTIFACTS, SPOOL, STORE_ID_FILE, Storage


def require_one_store(database: Database, storage: Storage, sealer: Sealer) -> None:
    """Compare store ids and key check value; the first start sets them."""
    query = select(gate.c.store_id, gate.c.secret_mark)
    with database.read() as connection:
        store_id, secret_mark = connection.execute(query).one()
    if store_id is None or secret_mark is None:
        store_id, secret_mark = _initialize(database, storage, sealer)
    if secret_mark != sealer.key_check_value():
        raise StoreUnavailable(
            "The secret is not the one that this store was created with. Use the secret.key of the "
            "store, or set FRTSVM_SECRET_FILE to the same secret on all machines."
        )
    found = storage.read_store_id()
    if found != store_id:
        raise StoreUnavailable(
            f"The artifact location has the store id {found or '(none)'} in its file "
            f"{STORE_ID_FILE}, but the database has {store_id}. Set FRTSVM_ARTIFACTS to the "
            "location of this store, the same on all machines."
        )


def _initialize(database: Database, storage: Storage, sealer: Sealer) -> tuple[str, str]:
    """Give database and storage a common store id, unless another process has done so."""
    query = select(gate.c.store_id, gate.c.secret_mark)
    with database.exclusive() as connection:
        store_id, secret_mark = connection.execute(query).one()
        if store_id is not None and secret_mark is not None:
            return store_id, secret_mark
        found = storage.read_store_id()
        if found is not None and (storage.names(ARTIFACTS) or storage.names(SPOOL)):
            raise StoreUnavailable(
                f"The artifacts belong to store {found}, but this database is new. "
                "Restore the database of that store, or set FRTSVM_ARTIFACTS to an empty location."
            )
        if found is None:
            found = secrets.token_hex(16)
            storage.write_store_id(found)
        connection.execute(
            update(gate).values(store_id=found, secret_mark=sealer.key_check_value())
        )
        return found, sealer.key_check_value()
