"""Arrow streams. Requires the optional package pyarrow, which is imported at its first use."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from app.errors import MalformedBody, UnsupportedMediaType

#: End of the message about the missing package.
MISSING = (
    "is not available, because pyarrow is not installed on this server. Use another format, or "
    "install it with `pip install 'frtsvm-service[arrow]'`"
)


def is_installed() -> bool:
    """Return whether pyarrow is installed."""
    return find_spec("pyarrow") is not None


def read_stream(
    body: bytes | bytearray, require_size: Callable[[int, int], None]
) -> tuple[list[str], list[Any]]:
    """Return the column names and columns of a stream.

    Columns of numbers are arrays with NaN for null, other columns are lists of cells. The limits
    are checked after each batch, so that an oversized stream is never held as a whole.
    """
    if not is_installed():
        raise UnsupportedMediaType(f"Arrow {MISSING}.")
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
        detail = f"The body is not a readable Arrow stream: {str(error)[:200]}."
        raise MalformedBody(detail) from None


def _cells(column: Any, pa: Any) -> Any:
    if pa.types.is_floating(column.type) or pa.types.is_integer(column.type):
        return column.cast(pa.float64(), safe=False).to_numpy().astype(np.float64, copy=False)
    return column.to_pylist()


def write_stream(columns: dict[str, Any], metadata: dict[str, str]) -> bytes:
    """Write a table as a stream; `metadata` becomes the metadata of its schema."""
    import pyarrow as pa

    arrays = {name: pa.array(values) for name, values in columns.items()}
    table = pa.table(arrays).replace_schema_metadata(metadata)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    written: bytes = sink.getvalue().to_pybytes()
    return written
