"""Arrow streams. Needs the optional package pyarrow, which is imported when it is first used."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from app.errors import MalformedBody, UnsupportedMediaType

#: How to get it, for whoever sends Arrow to a server without it.
MISSING = "needs the optional package pyarrow: pip install 'frtsvm-service[arrow]'"


def is_installed() -> bool:
    """Whether Arrow can be read and written here."""
    return find_spec("pyarrow") is not None


def read_stream(
    body: bytes | bytearray, require_size: Callable[[int, int], None]
) -> tuple[list[str], list[Any]]:
    """Names and columns: numbers as arrays with NaN for null, everything else as lists of cells.

    Batches are counted one by one, so that a stream over the limits is never held as a whole.
    """
    if not is_installed():
        raise UnsupportedMediaType(f"Arrow {MISSING}")
    import pyarrow as pa

    batches = []
    n_rows = 0
    try:
        with pa.ipc.open_stream(pa.py_buffer(body)) as reader:
            schema = reader.schema
            require_size(1, len(schema.names))
            for batch in reader:
                n_rows += batch.num_rows
                require_size(n_rows, len(schema.names))
                batch.validate(full=True)
                batches.append(batch)
        table = pa.Table.from_batches(batches, schema)
        return list(schema.names), [_cells(table.column(j), pa) for j in range(len(schema.names))]
    except (pa.ArrowException, OSError, ValueError, NotImplementedError) as error:
        detail = f"the body is not a readable Arrow stream: {str(error)[:200]}"
        raise MalformedBody(detail) from None


def _cells(column: Any, pa: Any) -> Any:
    if pa.types.is_floating(column.type) or pa.types.is_integer(column.type):
        return column.cast(pa.float64(), safe=False).to_numpy().astype(np.float64, copy=False)
    return column.to_pylist()


def write_stream(columns: dict[str, Any], metadata: dict[str, str]) -> bytes:
    """One table; `metadata` goes into its schema."""
    import pyarrow as pa

    arrays = {name: pa.array(values) for name, values in columns.items()}
    table = pa.table(arrays).replace_schema_metadata(metadata)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    written: bytes = sink.getvalue().to_pybytes()
    return written
