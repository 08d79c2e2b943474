"""Load the data sets of the paper: from FRTSVM_DATA_DIR, scikit-learn, or the UCI repository.

FRTSVM_DATA_DIR has one CSV file per set: a header line, numeric columns, the last column `label` with
values 1 and -1, and empty fields for missing values. The experiments leave out a set that none of
the three sources has.
"""

import os
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.paper.download import MissingDataset, download
from benchmarks.paper.methods.rows import Rows
from benchmarks.paper.uci_sets import UCI_SETS, labels_of

__all__ = ["UCI_SETS", "MissingDataset", "available", "data_folder", "load", "read_csv"]


@cache
def load(key: str) -> Rows:
    """Load a set; missing values are NaN."""
    path = data_folder() / f"{key}.csv" if data_folder() else None
    if path is not None and path.is_file():
        return read_csv(path)
    known = UCI_SETS.get(key)
    if known is not None and known.bundled is not None:
        raw = known.bundled()
        return Rows(np.asarray(raw.data, dtype=np.float64), labels_of(raw.target, known))
    if known is not None and known.repository_name is not None:
        return download(known)
    raise MissingDataset(
        f"{key}: {key}.csv was not found. Set FRTSVM_DATA_DIR to the folder that contains it."
    )


def available(keys: list[str]) -> tuple[list[str], list[str]]:
    """Return the sets that can be loaded, and the reasons why the others cannot."""
    found, reasons = [], []
    for key in keys:
        try:
            load(key)
        except MissingDataset as reason:
            reasons.append(str(reason))
        else:
            found.append(key)
    return found, reasons


def data_folder() -> Path | None:
    name = os.environ.get("FRTSVM_DATA_DIR", "")
    return Path(name) if name and Path(name).is_dir() else None


def read_csv(path: Path) -> Rows:
    table = np.genfromtxt(path, delimiter=",", skip_header=1)
    return Rows(table[:, :-1], table[:, -1].astype(np.intp))
