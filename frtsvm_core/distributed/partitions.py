"""Partitioned training data: a Dask dataframe or a folder of Parquet files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from dask.delayed import Delayed
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


@dataclass(frozen=True)
class Partitions:
    """Tables that the workers load when they need them."""

    tables: "tuple[Delayed | ParquetFile, ...]"
    label: str
    features: tuple[str, ...]


def partitions_of(data: Any, label: str, features: Sequence[str] | None) -> Partitions:
    """Find the partitions and columns of a Dask dataframe, or of a folder given by path or URL.

    `features=None` selects all columns except `label`.
    """
    if isinstance(data, str | Path):
        names, tables = _files(str(data))
    else:
        names, tables = [str(name) for name in data.columns], tuple(data.to_delayed())
    if label not in names:
        raise ValueError(f"There is no column {label!r}. The columns are {', '.join(names)}.")
    if features is None:
        features = [name for name in names if name != label]
    missing = [name for name in features if name not in names]
    if missing or not features:
        raise ValueError(
            f"There are no columns {', '.join(missing)}. The columns are {', '.join(names)}."
            if missing
            else f"No feature column is left besides the label {label!r}. Pass at least one."
        )
    if not tables:
        raise ValueError("The data have no partitions. Pass at least one.")
    return Partitions(tables, label, tuple(features))


def _files(folder: str) -> "tuple[list[str], tuple[ParquetFile, ...]]":
    import pyarrow.parquet as pq
    from fsspec.core import url_to_fs

    system, root = url_to_fs(folder)
    files = sorted(path for path in system.find(root) if path.endswith(".parquet"))
    if not files:
        raise ValueError(f"There are no .parquet files in {folder}. Check the path.")
    with system.open(files[0]) as file:
        names = list(pq.ParquetFile(file).schema_arrow.names)
    return names, tuple(ParquetFile(system, path) for path in files)


@dataclass(frozen=True)
class ParquetFile:
    """A Parquet file that every worker can read.

    It is read inside the task that uses its rows, so no table waits in memory for its task.
    """

    system: Any
    path: str

    def read(self, columns: list[str]) -> Any:
        """Read the columns as an Arrow table."""
        import pyarrow.parquet as pq

        with self.system.open(self.path) as file:
            return pq.read_table(file, columns=columns)


def labels_of(table: Any, label: str) -> list[Any]:
    """Return the distinct labels of a partition."""
    if isinstance(table, ParquetFile):
        labels: list[Any] = table.read([label]).column(label).unique().to_pylist()
    else:
        labels = table[label].unique().tolist()
    if any(value is None or value != value for value in labels):
        raise ValueError(f"Column {label!r} has missing labels. Remove these rows.")
    return labels


def rows_and_codes(
    table: Any, data: Partitions, classes: NDArray[Any]
) -> tuple[FloatArray, IntArray]:
    """Return the rows of a partition as a matrix, and the class number of each row."""
    if isinstance(table, ParquetFile):
        rows, codes = _from_file(table, data, classes)
    else:
        import pandas as pd

        rows = np.ascontiguousarray(table[list(data.features)].to_numpy(dtype=np.float64))
        codes = pd.Index(classes.tolist()).get_indexer(table[data.label])
    if not np.isfinite(rows).all():
        column = np.argwhere(~np.isfinite(rows))[0, 1]
        raise ValueError(
            f"Column {data.features[column]!r} has a missing or infinite value. "
            "Replace it or remove the row."
        )
    return rows, codes


def _from_file(
    file: ParquetFile, data: Partitions, classes: NDArray[Any]
) -> tuple[FloatArray, IntArray]:
    import pyarrow as pa
    import pyarrow.compute as pc

    read = file.read([*data.features, data.label])
    rows = np.empty((read.num_rows, len(data.features)))
    for column, name in enumerate(data.features):
        rows[:, column] = read.column(name).to_numpy()
    labels = read.column(data.label)
    if pa.types.is_dictionary(labels.type):
        labels = labels.cast(labels.type.value_type)
    known = pa.array(classes.tolist(), type=labels.type)
    codes: IntArray = pc.index_in(labels, value_set=known).to_numpy().astype(np.intp)
    return rows, codes
