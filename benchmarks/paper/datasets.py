"""The data sets of the paper: from FRTSVM_DATA_DIR, from scikit-learn, or by name from UCI.

FRTSVM_DATA_DIR holds one CSV file per set: a header, numbers, the last column `label` in {1, -1}, an
empty cell where a value is missing. A set that is in none of the three places is left out.
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
    """The set with its gaps as NaN."""
    path = data_folder() / f"{key}.csv" if data_folder() else None
    if path is not None and path.is_file():
        return read_csv(path)
    known = UCI_SETS.get(key)
    if known is not None and known.bundled is not None:
        raw = known.bundled()
        return Rows(np.asarray(raw.data, dtype=np.float64), labels_of(raw.target, known))
    if known is not None and known.repository_name is not None:
        return download(known)
    raise MissingDataset(f"{key}: set FRTSVM_DATA_DIR to the folder that has {key}.csv")


def available(keys: list[str]) -> tuple[list[str], list[str]]:
    """Those that can be loaded, and why the others cannot."""
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
